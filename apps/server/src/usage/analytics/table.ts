import type { Generated } from 'kysely';
import type { CoarseField } from '../../db/rollups/run-rollup-queries.ts';

/** Calls of a past hour (UTC seconds of its start), packed in the reading thread. */
export interface UsageSliceTable {
  hour: number;
  packed: Uint8Array;
}

/**
 * Calls of a past hour in slices by the quarter and one field only, which are faster to read for a query about that
 * field.
 */
export interface UsageCoarseSliceTable extends UsageSliceTable {
  field: CoarseField;
}

export interface SavedViewTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Query string of the screen. */
  search: string;
  created_time: number;
}
