/**
 * The hot state: everything that a relayed request is decided by, in memory. Rows are replaced, never changed, when a
 * feature publishes a change; a request works with the objects that it found.
 */

import type { RouteOrder } from '@switchyard/contract/accounts/user-groups';
import type { Role } from '@switchyard/contract/codes';
import type { ChannelId } from '@switchyard/contract/ids';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import type { Budgets, PriceRule } from '../../ledger/ledger.ts';

export interface KeyState {
  id: number;
  /** Keyed hash of its text, by which it is found. */
  hash: string;
  userId: number;
  name: string;
  enabled: boolean;
  /** UTC seconds; -1 never. */
  expiredTime: number;
  limited: boolean;
  /** Budgets of the key per day, week and month; undefined if it has none. */
  budgets: Budgets | undefined;
  /** Empty: the owner's group. */
  group: string;
  backupGroup: string;
  /** Requests per minute; 0 no limit of its own. */
  apiRate: number;
  /** Price ratio of the key on top of the group's, in millionths. */
  ratioMicros: number;
  /** Requests at the same time; 0 no limit of its own. */
  concurrency: number;
  /** 0 no limit of its own. */
  tokensPerMinute: number;
  /** Undefined: every model. */
  models: ReadonlySet<string> | undefined;
  /** Undefined: every address. */
  allowsAddress: ((address: string) => boolean) | undefined;
  /** Seconds of waiting after which a stream gets comment lines; 0 never. */
  heartbeatSeconds: number;
  /** A request is refused rather than sent without one of its fields. */
  rejectsDroppedFields: boolean;
}

export interface UserState {
  id: number;
  username: string;
  role: Role;
  enabled: boolean;
  group: string;
}

export interface GroupState {
  symbol: string;
  enabled: boolean;
  /** Users of other groups may choose it for their tokens. */
  public: boolean;
  ratioMicros: number;
  apiRate: number;
  /** Order in which several channels of one priority serve. */
  order: RouteOrder;
  /** Language-model tokens per minute for each member; 0 means no limit. */
  tokensPerMinute: number;
}

/** A channel that is enabled, with its secrets opened. */
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
  /** Grows with each change of the channels, so that what was derived from them can be thrown away. */
  readonly channelsVersion: number;
  channel(id: number): ChannelState | undefined;
  /** The entry that prices a model: its own, else the longest matching `prefix*`, else the default. */
  priceOf(model: string): PriceRule;
  /** The same, which a later change of the price list leaves alone. */
  readonly priceBook: (model: string) => PriceRule;
}
