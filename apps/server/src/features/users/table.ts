import type { Role, UserStatus } from '@switchyard/contract/codes';
import type { Generated } from 'kysely';

export interface UserTable {
  id: Generated<number>;
  username: string;
  /** PHC string. */
  password_hash: string;
  display_name: string;
  email: string;
  avatar_url: string;
  role: Role;
  status: UserStatus;
  group_symbol: string;
  /** Keyed hash of the management access token. */
  access_token_hash: string | null;
  created_time: number;
  last_login_time: number;
  last_login_ip: string;
  deleted_time: number | null;
}
