import type { RedemptionStatus } from '@switchyard/contract/wire-enums';
import type { Generated } from 'kysely';

export interface CodeBatchTable {
  id: Generated<number>;
  name: string;
  quota: number;
  count: number;
  prefix: string;
  /** 0 for never. */
  expires_time: number;
  /** 0 for no limit. */
  per_user: number;
  for_group: string;
  grant_group: string;
  enabled: number;
  created_by: number;
  created_time: number;
  deleted_time: number | null;
}

export interface RedemptionCodeTable {
  id: Generated<number>;
  batch_id: number;
  /** Keyed hash, by which a typed code is found. */
  code_hash: string;
  code_sealed: string;
  hint: string;
  status: RedemptionStatus;
  /** 0 before redemption. */
  redeemed_time: number;
  redeemed_by: number | null;
}
