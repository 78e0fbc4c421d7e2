import type { ListFormat, ListRefusal } from '@switchyard/contract/catalog/catalog-updates';
import type { Generated } from 'kysely';

/** List of models and prices as it was read. */
export interface CatalogueListTable {
  id: Generated<number>;
  created_time: number;
  /** An address, `shipped` or `text`. */
  source: string;
  format: ListFormat;
  /** 1 if the schedule read it: its changes are a notification until they are decided. */
  scheduled: number;
  decided: Generated<number>;
  /** Hash of the entries, by which an unchanged list is detected. */
  digest: string;
  /** JSON. */
  entries: string;
  /** JSON. */
  problems: string;
}

/** Result of the last scheduled fetch. */
export interface CatalogueFetchTable {
  id: 1;
  /** Keyed hash, because an address may contain a secret. */
  address_hash: string;
  /** UTC seconds. */
  tried_time: number;
  /** UTC seconds; 0: never. */
  read_time: number;
  /** Number of consecutive failures. */
  failures: number;
  problem: ListRefusal | null;
}
