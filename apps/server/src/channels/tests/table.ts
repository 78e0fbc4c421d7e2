import type { StoredTest } from '@switchyard/contract/channels/channel-tests';
import type { Generated } from 'kysely';

/** Last result of a kind of test. */
export interface ChannelTestTable {
  channel_id: number;
  model: string;
  kind: StoredTest['kind'];
  outcome: StoredTest['outcome'];
  problem: StoredTest['problem'];
  message: string;
  /** JSON of the contract's `testFinding`. */
  finding: string | null;
  tested_at: number;
  /** Milliseconds, as the next. */
  duration: number;
  first_content_time: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_micro_usd: number | null;
}

/** Tests that were made by the schedule, together. */
export interface ChannelTestRunTable {
  id: Generated<number>;
  started_at: number;
  /** Null: it runs, or its process ended before it did. */
  ended_at: number | null;
  /** Until then nobody else begins one. */
  leased_until: number;
  passed: Generated<number>;
  failed: Generated<number>;
  /** Number of channels skipped: because of a cap, the end of the run or a test that isn't applicable. */
  left_out: Generated<number>;
  cost_micro_usd: Generated<number>;
}
