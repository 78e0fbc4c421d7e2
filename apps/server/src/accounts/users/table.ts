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
  /** When the mail address was proven to be the user's; null: never. */
  email_verified_time: number | null;
  /** The code by which this user invites others, once it was asked for. */
  aff_code: string | null;
  inviter_id: number | null;
  /** Staff role, which holds the permissions of a member of staff. */
  staff_role_id: number | null;
  /** Language of the user's mails; empty: the site's. */
  language: Generated<string>;
  /** JSON of which mails the user wants. */
  notices: Generated<string>;
  /** 1 after a mail told that the balance is low, until it is not any more. */
  low_balance_told: Generated<number>;
  /** When the present role was given. */
  role_since: number;
  created_time: number;
  last_login_time: number;
  last_login_ip: string;
  deleted_time: number | null;
}
