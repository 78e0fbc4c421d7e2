/** Fields of a usage record besides its columns, as JSON: enough to explain the charge and the routing. */
import type { ChannelId } from '@switchyard/contract/ids';
import type {
  Attempt,
  Ending,
  Verdict as ShownVerdict,
  UsageRecordDetail,
} from '@switchyard/contract/usage/usage-records';
import type { Receipt } from './verify/charge-receipt.ts';

export type VerdictReason = ShownVerdict['reason'];

/** Channel, reason, and the reason's detail: its end (UTC seconds), or the missing capability. */
export type Verdict = readonly [channelId: ChannelId, reason: VerdictReason, detail?: number | string];

/** Attempt without channel names, which are looked up when the record is read. */
export interface StoredAttempt
  extends Omit<Attempt, 'channel_id' | 'channel_name' | 'key_hint' | 'served_model' | 'verdicts'> {
  /** Present only if the vendor reports another model. */
  served_model?: string;
  channel_id: ChannelId;
  /** Present only if the channel has several keys. */
  key_hint?: string;
  /** Reasons why this channel was selected and others were not. */
  why?: readonly Verdict[];
}

export interface UsageDetail {
  receipt?: Receipt;
  /** Attempts in chronological order. */
  attempts?: readonly StoredAttempt[];
  /** Requested model, if a fallback model served. */
  requested_model?: string;
  /** Batch that the call belongs to. */
  batch?: string;
  /** Ending of the call, which determines the charge. */
  ending?: Ending;
  /** Points of the charge that the balance did not cover, and that are now owed. */
  overrun?: number;
  /** Request fields that the upstream's dialect does not support. */
  dropped?: readonly string[];
  /** Findings of content safety. */
  safety?: UsageRecordDetail['safety'];
}
