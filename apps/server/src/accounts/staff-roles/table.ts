import type { Generated } from 'kysely';

export interface StaffRoleTable {
  id: Generated<number>;
  name: string;
  /** JSON list of permissions. */
  permissions: string;
}
