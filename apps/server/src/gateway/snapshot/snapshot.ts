/**
 * In-memory state that decides every relayed request. Objects are replaced, never modified, when data changes; a
 * request keeps the objects that it started with.
 */

import type { RouteOrder } from '@switchyard/contract/accounts/user-groups';
import type { ChannelId } from '@switchyard/contract/ids';
import type { RoleHolder } from '../../accounts/staff-second-factor/staff-second-factor.ts';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import type { Budgets, PriceRule } from '../../ledger/ledger.ts';

export interface KeyState {
  id: number;
  /** Keyed hash of the key's text, the lookup key. */
  hash: string;
  userId: number;
  name: string;
  enabled: boolean;
  /** True if only staff can enable the key. */
  isDisabledByStaff: boolean;
  /** UTC seconds; -1 for never. */
  expiredTime: number;
  limited: boolean;
  /** Budgets of the key per day, week and month; undefined if it has none. */
  budgets: Budgets | undefined;
  /** Empty for the owner's group. */
  group: string;
  backupGroup: string;
  /** Requests per minute; 0 for no separate limit. */
  apiRate: number;
  /** Price ratio of the key in addition to the group's, in millionths. */
  ratioMicros: number;
  /** False for a key that never has the channel rights of its owner's role. */
  canChooseChannel: boolean;
  /** Concurrent requests; 0 for no separate limit. */
  concurrency: number;
  /** 0 for no separate limit. */
  tokensPerMinute: number;
  /** Undefined for all models. */
  models: ReadonlySet<string> | undefined;
  /** Undefined for all addresses. */
  allowsAddress: ((address: string) => boolean) | undefined;
  /** Seconds of silence after which a stream gets comment lines; 0 for never. */
  heartbeatSeconds: number;
  /** True to refuse a request rather than to send it without one of its fields. */
  rejectsDroppedFields: boolean;
}

/** User; `isChannelAdministrator` decides whether the role may be used at this moment. */
export interface UserState extends RoleHolder {
  id: number;
  username: string;
  enabled: boolean;
  group: string;
}

export interface GroupState {
  symbol: string;
  enabled: boolean;
  /** True if users of other groups may select it for their tokens. */
  public: boolean;
  ratioMicros: number;
  apiRate: number;
  /** Order among channels of equal priority. */
  order: RouteOrder;
  /** Language-model tokens per minute for each member; 0 means no limit. */
  tokensPerMinute: number;
}

/** Enabled channel with decrypted secrets. */
export interface ChannelState extends Omit<LoadedChannel, 'id' | 'groups' | 'testModel'> {
  id: ChannelId;
  groups: ReadonlySet<string>;
}

export interface Snapshot {
  keyByHash(hash: string): KeyState | undefined;
  key(id: number): KeyState | undefined;
  user(id: number): UserState | undefined;
  group(symbol: string): GroupState | undefined;
  channels(): readonly ChannelState[];
  /** Increases with each change of the channels, to invalidate derived data. */
  readonly channelsVersion: number;
  channel(id: number): ChannelState | undefined;
  /** Returns the price of a model: its own entry, else the longest matching `prefix*`, else the default. */
  priceOf(model: string): PriceRule;
  /** Price lookup that later changes of the price list do not affect. */
  readonly priceBook: (model: string) => PriceRule;
}
