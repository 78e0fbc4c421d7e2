/** Named sets of permissions that the operator gives to members of staff. */
import { type Permission, permission } from '@switchyard/contract/permissions';

/** From the stored list; what this version does not know any more is left out. */
export function staffPermissions(stored: string | null): Permission[] {
  const names: unknown = JSON.parse(stored ?? '[]');
  if (!Array.isArray(names)) return [];
  return names.flatMap((name) => permission.safeParse(name).data ?? []);
}
