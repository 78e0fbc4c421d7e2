import type { ChannelEvent } from '@switchyard/contract/channels/channel-health';
import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelStatus } from '@switchyard/contract/wire-enums';
import type { Generated } from 'kysely';

export interface ChannelTable {
  id: Generated<number>;
  name: string;
  /** Provider id as text. */
  provider: string;
  key_sealed: string;
  key_hint: string;
  base_url: string;
  /** JSON object. */
  options: string;
  /** JSON array of model names, which may end with `*`. */
  models: string;
  /** JSON array of group symbols. */
  groups: string;
  tag: string;
  /** JSON object. */
  model_mapping: string;
  /** Sealed JSON object; empty without headers. */
  headers_sealed: string;
  proxy_sealed: string;
  test_model: string;
  priority: number;
  weight: number;
  only_chat: number;
  /** JSON array of capabilities. */
  lacks: string;
  held_prompt: Generated<Channel['held_prompt']>;
  /** JSON of the contract's `channelCost`. */
  cost: string;
  /** JSON of the contract's `deadlines`. */
  deadlines: Generated<string>;
  /** JSON of the contract's `requestChanges`. */
  request_changes: Generated<string>;
  /** JSON of the contract's `channelCaps`. */
  caps: Generated<string>;
  status: ChannelStatus;
  disabled_reason: string;
  created_time: number;
  test_time: number;
  response_time: number;
  balance_micro_usd: number | null;
  balance_updated_time: number;
  deleted_time: number | null;
}

/** Row for each time that a channel is disabled or re-enabled. */
export interface ChannelEventTable {
  id: Generated<number>;
  channel_id: number;
  created_at: number;
  event: ChannelEvent['event'];
  reason: string;
  /** Null for the gateway itself. */
  user_id: number | null;
}

/** State of a key that is disabled. */
export interface ChannelKeyStateTable {
  channel_id: number;
  /** Id that does not reveal the key. */
  key_id: string;
  status: 'disabled' | 'auto-disabled';
  /** Empty if an administrator disabled it. */
  reason: string;
  since: number;
}
