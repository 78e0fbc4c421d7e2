import type { Generated } from 'kysely';

/** `balance` includes held points; the available points are `balance − held`. */
export interface UserAccountTable {
  user_id: number;
  balance: number;
  held: number;
  used: number;
  requests: number;
  /** Part of `used` that belongs to the installation from which the account was imported. */
  used_before: Generated<number>;
}

/** `remaining` may be negative, and only applies to keys with a limit. */
export interface KeyAccountTable {
  api_key_id: number;
  remaining: number;
  held: number;
  used: number;
}

/** Charges of a key on one day, which begins at `day` (UTC seconds). Weeks and months are sums of days. */
export interface KeyDayTable {
  api_key_id: number;
  day: number;
  used: number;
}

/** Discrepancy that the self-check found. Until it is acknowledged, its user cannot spend. */
export interface LedgerAlarmTable {
  user_id: number;
  problem: string;
  /** Stored minus computed, points. */
  difference: number;
  found_at: number;
  acknowledged_at: number | null;
}

/** Append-only. `balance` is the sum of `user_amount`, `remaining` the sum of `key_amount`. */
export interface LedgerEntryTable {
  kind: 'charge' | 'top-up' | 'refund' | 'adjust' | 'gift' | 'key-limit' | 'opening';
  /** Reference of the cause: request id, order id, … Unique per kind. */
  ref: string;
  created_at: number;
  user_id: number;
  api_key_id: number | null;
  user_amount: number;
  key_amount: number;
  note: string;
}

export interface HoldTable {
  request_id: string;
  user_id: number;
  api_key_id: number | null;
  /** 1 if the key had its own limit. */
  limited: number;
  amount: number;
  created_at: number;
  /** JSON of `Checkpoint`, which is charged if the process dies; null for none. */
  checkpoint: string | null;
  /** 1 for a hold that outlives its request, and that only its task ends. */
  lasting: Generated<number>;
  /** Node that serves the request; null on a single node, and for lasting holds. */
  node_id: Generated<number | null>;
}

/** Process among several on the same database. */
export interface NodeTable {
  id: Generated<number>;
  /** Host name and process id. */
  name: string;
  version: Generated<string>;
  /** UTC seconds, by the database's clock. */
  started_at: number;
  lease_until: number;
}

export interface UsageRecordTable {
  id: Generated<number>;
  request_id: string;
  created_at: number;
  type: 'top-up' | 'consume' | 'manage' | 'system' | 'error';
  user_id: number;
  api_key_id: number | null;
  channel_id: number | null;
  model: string;
  group_symbol: string;
  quota: number;
  /** Cost of the call to the operator, in points; null if unknown. */
  cost: number | null;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  duration_ms: number;
  first_byte_ms: number;
  is_stream: number;
  address: string;
  usage_source: 'reported' | 'counted' | 'estimated' | 'none';
  content: string;
  /** JSON of `UsageDetail`. */
  detail: string;
}

/** Sums of the usage records for each hour (UTC seconds of its start), user, model and channel (0: none). */
export interface UsageHourTable {
  hour: number;
  user_id: number;
  model: string;
  channel_id: number;
  requests: number;
  errors: number;
  quota: number;
  /** Cost of the calls with a known cost; `costed_quota` is their charge. */
  cost: number;
  costed_quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  duration_ms: number;
}

/**
 * Costs of a channel to the operator on one day (UTC seconds of its start): points, by the list price if the cost is
 * unknown.
 */
export interface ChannelDayTable {
  channel_id: number;
  day: number;
  spent: number;
}

export interface ChannelUsageTable {
  channel_id: number;
  used: number;
  requests: number;
}
