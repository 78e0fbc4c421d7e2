import type { Generated } from 'kysely';

export interface PasskeyTable {
  id: Generated<number>;
  user_id: number;
  /** base64url */
  credential_id: string;
  /** COSE key, base64url. */
  public_key: string;
  counter: number;
  /** JSON list. */
  transports: string;
  rp_id: string;
  alias: string;
  created_time: number;
  /** 0 for never. */
  last_used_time: number;
}
