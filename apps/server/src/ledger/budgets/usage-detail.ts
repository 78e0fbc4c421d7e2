/** Fields of a usage record besides its columns, as JSON: enough to explain the charge and the route to it. */
import type { ChannelId } from '@switchyard/contract/ids';
import type {
  Attempt,
  Ending,
  Verdict as ShownVerdict,
  UsageRecordDetail,
} from '@switchyard/contract/usage/usage-records';
import type { Receipt } from '../verify/receipt.ts';

export type VerdictReason = ShownVerdict['reason'];

/** Channel, reason, and what the reason speaks of: when it ends (UTC seconds), or what the channel lacks. */
export type Verdict = readonly [channelId: ChannelId, reason: VerdictReason, detail?: number | string];

/** The names of channels are looked up when the record is read. */
export interface StoredAttempt
  extends Omit<Attempt, 'channel_id' | 'channel_name' | 'key_hint' | 'served_model' | 'verdicts'> {
  /** Only where the vendor says that it was another one. */
  served_model?: string;
  channel_id: ChannelId;
  /** Only where the channel has several keys. */
  key_hint?: string;
  /** Why this channel, and why not the others. */
  why?: readonly Verdict[];
}

export interface UsageDetail {
  receipt?: Receipt;
  /** Attempts, in the order in which they were made. */
  attempts?: readonly StoredAttempt[];
  /** The model that was asked for, when another stood in for it. */
  requested_model?: string;
  /** The batch that the call was a line of. */
  batch?: string;
  /** Ending of the call, by which it was charged. */
  ending?: Ending;
  /** Points of the charge that the balance did not cover, and that are a debt now. */
  overrun?: number;
  /** Request fields that the upstream's dialect could not carry. */
  dropped?: readonly string[];
  /** Findings of content safety. */
  safety?: UsageRecordDetail['safety'];
}
