import type { Generated } from 'kysely';

export interface ApiKeyTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Keyed hash by which a presented key is found. */
  key_hash: string;
  key_sealed: string;
  key_hint: string;
  status: 'enabled' | 'disabled';
  created_time: number;
  accessed_time: number;
  /** UTC seconds; -1 never. */
  expired_time: number;
  unlimited_quota: number;
  /** Empty: the owner's group. */
  group_symbol: string;
  backup_group: string;
  api_rate: number;
  /** Multiplies every price, on top of the group's; administrators set it. */
  ratio_micros: number;
  /** JSON of the contract's `apiKeySetting`. */
  setting: string;
  deleted_time: number | null;
}
