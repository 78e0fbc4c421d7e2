import type { MissingRate } from '@switchyard/contract/catalog/prices';
import type { Generated } from 'kysely';

/** Columns of a price; each is JSON of the contract's field of that name, in nano-points. */
interface ChargedColumns {
  model: string;
  type: 'tokens' | 'times';
  rates: string;
  image_rates: string;
  tiers: string;
}

export interface PriceTable extends ChargedColumns {
  channel_type: number;
  /** Copies from `rates`, for sorting. */
  input: number;
  output: number;
  locked: number;
  /** Newest row of `price_version`. */
  version: number;
}

/** Append-only, because receipts refer to its rows permanently. */
export interface PriceVersionTable extends ChargedColumns {
  id: Generated<number>;
  created_at: number;
}

/** Counter that a price had no rate for in the version of its last charge. */
export interface MissingRateTable {
  model: string;
  /** A unit, or tokens that a price by the unit has no rate for. */
  counter: MissingRate['counter'];
  version: number;
  calls: number;
  /** UTC seconds. */
  last_seen: number;
}
