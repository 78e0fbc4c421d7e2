import type { KeptTest } from '@switchyard/contract/channel-tests';

/** What the last test of a kind found. */
export interface ChannelTestTable {
  channel_id: number;
  model: string;
  kind: KeptTest['kind'];
  outcome: KeptTest['outcome'];
  problem: KeptTest['problem'];
  message: string;
  tested_at: number;
  /** Milliseconds, as the next. */
  duration: number;
  first_content_time: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_micro_usd: number | null;
}
