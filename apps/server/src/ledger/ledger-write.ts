/** Ledger writes of one request, as values: the group commit turns them into rows. */

import type { Period } from './budgets/period-usage.ts';
import type { UsageRecordTable } from './table.ts';

export interface NewUsageRecord extends Omit<UsageRecordTable, 'id'> {
  /** Points that count towards its channel's caps: what the call cost the operator, or by the price list. */
  spend?: number;
}

/** Fields of a record that doesn't belong to a call. */
export const emptyRecord: Omit<NewUsageRecord, 'request_id' | 'created_at' | 'type' | 'user_id'> = {
  api_key_id: null,
  channel_id: null,
  model: '',
  group_symbol: '',
  quota: 0,
  cost: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  duration_ms: 0,
  first_byte_ms: 0,
  is_stream: 0,
  address: '',
  usage_source: 'none',
  content: '',
  detail: '{}',
};

/** Points that may be spent in each period; null: no limit. */
export type Budgets = Readonly<Record<Period, number | null>>;

/** An open reservation. Amounts are points. */
export interface Hold {
  requestId: string;
  userId: number;
  /** Null for calls that no key made, such as the playground's. */
  apiKeyId: number | null;
  /** The key has a limit of its own, which the hold also reserves from. */
  limited: boolean;
  /** Budgets of the key per day, week and month. */
  budgets?: Budgets | undefined;
  amount: number;
  /** It outlives its request from the beginning: what it is for is done later. */
  lasting?: boolean;
  /** When this node is gone, another one sends the request again and charges that. */
  isSentAgain?: boolean;
  /**
   * True if what this node delivered is charged separately when another node ended the hold, because this one was
   * silent for too long.
   */
  endsWithNode?: boolean | undefined;
  /** A raise failed, and may have been written all the same: it cannot be raised again, and its row says what is held. */
  isDoubtful?: true;
}

/** Charge of a request if it ended now. */
export interface Checkpoint {
  charge: number;
  record: NewUsageRecord;
}

/** A charge for which nothing is held any more. Hold and record bear the reference of its ledger entry. */
export interface LateCharge {
  type: 'late-charge';
  hold: Hold;
  charge: number;
  record: NewUsageRecord;
}

export type LedgerWrite =
  | { type: 'hold'; hold: Hold; createdAt: number; nodeId?: number }
  | { type: 'raise'; hold: Hold; by: number }
  | { type: 'checkpoint'; requestId: string; checkpoint: Checkpoint }
  | { type: 'settle'; hold: Hold; charge: number; record: NewUsageRecord }
  | LateCharge
  | { type: 'void'; hold: Hold; record: NewUsageRecord | undefined }
  | { type: 'record'; record: NewUsageRecord };

/** Settlement outcome of a hold. */
export type HoldSettlement = Extract<LedgerWrite, { type: 'settle' | 'void' }>;
