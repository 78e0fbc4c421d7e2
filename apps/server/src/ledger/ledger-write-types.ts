/** Ledger writes of one request, as values: the group commit turns them into rows. */

import type { Period } from './budgets/period-usage.ts';
import type { UsageRecordTable } from './table.ts';

export interface NewUsageRecord extends Omit<UsageRecordTable, 'id'> {
  /** Points that count towards the channel's caps: the operator's cost, or the list price. */
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

/** Maximum points per period; null for no limit. */
export type Budgets = Readonly<Record<Period, number | null>>;

/** `Idempotency-Key` of a caller. */
export interface IdempotencyKey {
  /** Owner of the key, because two callers may use the same text. */
  scope: string;
  key: string;
}

/** Open reservation. Amounts are points. */
export interface Hold {
  requestId: string;
  userId: number;
  /** Null for calls without a key, such as the playground's. */
  apiKeyId: number | null;
  /** True if the key has its own limit, from which the hold also reserves. */
  limited: boolean;
  /** Budgets of the key per day, week and month. */
  budgets?: Budgets | undefined;
  amount: number;
  /** True if the hold is for usage that was already delivered: no limit refuses it. */
  isOwed?: boolean;
  /** True if the hold outlives its request from the beginning, for work that is done later. */
  lasting?: boolean;
  /**
   * True if the response of this node no longer counts once another node has ended the hold: that node repeats the
   * request and charges it, or fails it.
   */
  isSentAgain?: boolean;
  /** Once a repeated request has taken the key over, only that one is charged. */
  idempotencyKey?: IdempotencyKey | undefined;
  /**
   * True if what this node delivered is charged separately when another node ended the hold, because this one was
   * silent for too long.
   */
  endsWithNode?: boolean | undefined;
  /**
   * Present after a failed raise that may have been written nevertheless: the hold cannot be raised again, and its
   * row has the held amount.
   */
  isDoubtful?: true;
}

/** Charge of a request if it ended now. */
export interface Checkpoint {
  charge: number;
  record: NewUsageRecord;
}

/** Charge without a hold. Its hold and record have the reference of the ledger entry. */
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
