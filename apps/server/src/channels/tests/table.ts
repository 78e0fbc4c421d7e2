import type { KeptTest } from '@switchyard/contract/channels/channel-tests';
import type { Generated } from 'kysely';

/** What the last test of a kind found. */
export interface ChannelTestTable {
  channel_id: number;
  model: string;
  kind: KeptTest['kind'];
  outcome: KeptTest['outcome'];
  problem: KeptTest['problem'];
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
  /** For a cap. */
  left_out: Generated<number>;
  cost_micro_usd: Generated<number>;
}
