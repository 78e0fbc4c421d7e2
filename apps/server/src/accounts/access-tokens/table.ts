import type { Generated } from 'kysely';

export interface AccessTokenTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Keyed hash. */
  token_hash: string;
  hint: string;
  /** JSON list of rights; `*` for all of the owner's. */
  scopes: string;
  read_only: number;
  created_time: number;
  /** 0 for never. */
  expires_time: number;
  last_used_time: number;
}
