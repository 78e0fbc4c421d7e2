import type { ListFormat } from '@switchyard/contract/catalogue';
import type { Generated } from 'kysely';

/** A list of models and prices as it was read. */
export interface CatalogueListTable {
  id: Generated<number>;
  created_time: number;
  /** An address, `shipped` or `text`. */
  source: string;
  format: ListFormat;
  /** Read by the schedule: its changes are a notice until somebody has decided. */
  scheduled: number;
  decided: Generated<number>;
  /** Of the entries: the same list is no news. */
  digest: string;
  /** JSON. */
  entries: string;
  /** JSON. */
  problems: string;
}
