import type { Role, UserStatus } from '@switchyard/contract/wire-enums';
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
  /** UTC seconds at which the mail address was verified; null for never. */
  email_verified_time: number | null;
  /** Invitation code of this user; null until it is first used. */
  aff_code: string | null;
  inviter_id: number | null;
  /** Staff role with the permissions of a member of staff. */
  staff_role_id: number | null;
  /** Language of the user's mails; empty for the site's. */
  language: Generated<string>;
  /** JSON of the user's mail preferences. */
  notices: Generated<string>;
  /** 1 after a mail about a low balance, until the balance is no longer low. */
  low_balance_told: Generated<number>;
  /** Time at which the current role was assigned. */
  role_since: number;
  created_time: number;
  last_login_time: number;
  last_login_ip: string;
  deleted_time: number | null;
}
