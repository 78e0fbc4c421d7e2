import type { Generated } from 'kysely';
import type { CoarseField } from '../../db/rollups/rollup-tasks.ts';

/** The calls of an hour that is over (UTC seconds of its start), packed in the reading thread. */
export interface UsageSliceTable {
  hour: number;
  packed: Uint8Array;
}

/** The same, of slices that are alike in the quarter and one field only: less to read for a question about that one. */
export interface UsageCoarseSliceTable extends UsageSliceTable {
  field: CoarseField;
}

export interface SavedViewTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Query of the screen's address. */
  search: string;
  created_time: number;
}
