import type { Generated } from 'kysely';

/** The calls of an hour that is over (UTC seconds of its start), packed in the reading thread. */
export interface UsageSliceTable {
  hour: number;
  packed: Uint8Array;
}

export interface SavedViewTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Of the screen's address. */
  search: string;
  created_time: number;
}
