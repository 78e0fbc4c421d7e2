import type { Visitor } from '../../apps/server/src/testing/visitor.ts';
import { updateUserGroup, userGroups } from '../../packages/contract/src/accounts/user-groups.ts';

/** Removes the limit of requests per minute from every group. */
export async function removeRateLimits(admin: Visitor): Promise<void> {
  const groups = await admin.api(userGroups).list({ query: { size: 100 } });
  for (const group of groups.data)
    await admin.api(userGroups).update({ body: updateUserGroup.parse({ ...group, api_rate: 0 }) });
}
