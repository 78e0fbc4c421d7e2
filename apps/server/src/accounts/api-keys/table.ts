import type { Generated } from 'kysely';

export interface ApiKeyTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Keyed hash, the lookup key of a presented key. */
  key_hash: string;
  key_sealed: string;
  key_hint: string;
  /** `disabled-by-staff`: only staff can enable the key; the API shows it as disabled. */
  status: 'enabled' | 'disabled' | 'disabled-by-staff';
  created_time: number;
  accessed_time: number;
  /** UTC seconds; -1 for never. */
  expired_time: number;
  unlimited_quota: number;
  /** Empty for the owner's group. */
  group_symbol: string;
  backup_group: string;
  api_rate: number;
  /** Price ratio in addition to the group's; set by administrators. */
  ratio_micros: number;
  /** 0 for a key of an access token without rights on channels: it never has the channel rights of its owner's role. */
  can_choose_channel: Generated<number>;
  /** JSON of the contract's `apiKeySetting`; `{}` for a deleted key. */
  setting: string;
  deleted_time: number | null;
}
