/** Installation to import, independent of the product's format. Its values are decoded but not validated. */
import type { Rates, TokenRates } from '@switchyard/contract/catalog/price-rates';
import type { LegacySource } from '../../channels/registry/registry.ts';

export interface Installation {
  groups: readonly SourceGroup[];
  users: readonly SourceUser[];
  keys: readonly SourceKey[];
  /** Unchanged rows, which the channels feature reads. */
  channels: readonly SourceChannel[];
  prices: readonly SourcePrice[];
  codes: readonly SourceCode[];
  orders: readonly SourceOrder[];
  /** Run-time settings by their names in the source. */
  options: ReadonlyMap<string, string>;
  /** Records since a time (UTC seconds), newest last. */
  logs(since: number): AsyncIterable<readonly SourceLog[]>;
  /** True if a group without a definition may be used by its members. */
  unknownGroupsServe: boolean;
  /** Requests per minute for each member of a group without a definition; 0: no limit. */
  unknownGroupsRate: number;
}

export interface SourceGroup {
  symbol: string;
  name: string;
  /** Millionths. */
  ratioMicros: number;
  /** Requests per minute; 0: no limit. */
  apiRate: number;
  isPublic: boolean;
  enabled: boolean;
  promotion: boolean;
  minUsd: number;
  maxUsd: number;
}

export interface SourceUser {
  id: string;
  username: string;
  displayName: string;
  email: string;
  passwordHash: string;
  role: 'user' | 'staff' | 'admin' | 'root';
  enabled: boolean;
  group: string;
  /** Points. */
  balance: bigint;
  used: bigint;
  requests: bigint;
  affCode: string;
  inviterId: string;
  identities: readonly SourceIdentity[];
  createdTime: number;
  lastLoginTime: number;
  lastLoginIp: string;
}

/** Third-party account. Only issuers that are known for certain are included. */
export interface SourceIdentity {
  provider: 'github' | 'oidc' | 'wechat' | 'telegram';
  issuer: string;
  subject: string;
}

export interface SourceKey {
  id: string;
  userId: string;
  name: string;
  /** Key as clients send it, or its SHA-256 if the text is unknown. */
  secret: { text: string } | { sha256: string };
  enabled: boolean;
  createdTime: number;
  accessedTime: number;
  /** UTC seconds; -1: never. */
  expiredTime: number;
  remaining: bigint;
  unlimited: boolean;
  used: bigint;
  /** Empty: the owner's group. */
  group: string;
  backupGroup: string;
  /** Undefined: every model. */
  models: readonly string[] | undefined;
  /** Addresses and networks; undefined: all. */
  addresses: readonly string[] | undefined;
  heartbeatSeconds: number | undefined;
  /** Budgets per day, week and month in points. */
  budgets?: { day: number | null; week: number | null; month: number | null };
  /** 0: no limit. */
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrency: number;
}

export interface SourceChannel {
  id: string;
  dialect: LegacySource;
  row: Readonly<Record<string, unknown>>;
  groups: readonly string[];
}

export interface SourcePrice {
  model: string;
  type: 'tokens' | 'times';
  rates: Partial<Rates> & Pick<Rates, 'input' | 'output'>;
  /** Rates of one image, or one second of video, by size and quality; absent if the source has none. */
  imageRates?: Readonly<Record<string, number>>;
  tiers?: readonly SourceTier[];
}

/** Rates of calls whose prompt has more than `above` tokens. */
export interface SourceTier {
  above: number;
  rates: Partial<TokenRates> & Pick<TokenRates, 'input' | 'output'>;
}

export interface SourceCode {
  id: string;
  text: string;
  name: string;
  quota: bigint;
  status: 'enabled' | 'disabled' | 'used';
  createdBy: string;
  createdTime: number;
  redeemedTime: number;
  /** Empty: unknown. */
  redeemedBy: string;
  expiresTime: number;
}

export interface SourceOrder {
  id: string;
  userId: string;
  tradeNo: string;
  gatewayNo: string;
  status: 'success' | 'failed' | 'closed';
  amountUsd: bigint;
  quota: bigint;
  currency: string;
  /** Amount in the smallest coin. */
  orderAmount: bigint;
  createdTime: number;
}

export interface SourceLog {
  id: string;
  userId: string;
  keyId: string;
  channelId: string;
  type: 'top-up' | 'consume' | 'manage' | 'system' | 'error';
  createdTime: number;
  model: string;
  group: string;
  quota: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  durationMs: bigint;
  isStream: boolean;
  address: string;
  content: string;
}

/** Names of One API and its forks. */
export const productNames = ['one-hub', 'done-hub', 'one-api', 'new-api'] as const;
export type ProductName = (typeof productNames)[number];
