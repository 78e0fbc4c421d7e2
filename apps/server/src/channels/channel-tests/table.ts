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
  /** JSON of the contract's `testDiagnostic`. */
  finding: string | null;
  tested_at: number;
  /** Milliseconds, like the next. */
  duration: number;
  first_content_time: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_micro_usd: number | null;
}

/** Run of scheduled tests. */
export interface ChannelTestRunTable {
  id: Generated<number>;
  started_at: number;
  /** Null while it runs, or if its process died first. */
  ended_at: number | null;
  /** UTC seconds until which no other run may begin. */
  leased_until: number;
  passed: Generated<number>;
  failed: Generated<number>;
  /** Number of skipped channels: because of a cap, the end of the run or a test that isn't applicable. */
  left_out: Generated<number>;
  cost_micro_usd: Generated<number>;
}
