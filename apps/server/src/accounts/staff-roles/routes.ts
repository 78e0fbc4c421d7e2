import type { staffRoles } from '@switchyard/contract/accounts/staff-roles';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createStaffRole, listStaffRoles, removeStaffRole, updateStaffRole } from './staff-roles.ts';

export const staffRoleRoutes = (ctx: Context): Handlers<typeof staffRoles> => ({
  list: () => listStaffRoles(ctx),
  create: async ({ body }, call) => {
    const role = await createStaffRole(ctx, body);
    await audit(ctx, call, { action: 'staff-role.create', target: `staff-role:${role.id}`, detail: body });
    return role;
  },
  update: async ({ params, body }, call) => {
    const role = await updateStaffRole(ctx, params.id, body);
    await audit(ctx, call, { action: 'staff-role.update', target: `staff-role:${role.id}`, detail: body });
    return role;
  },
  remove: async ({ params }, call) => {
    await removeStaffRole(ctx, params.id);
    await audit(ctx, call, { action: 'staff-role.delete', target: `staff-role:${params.id}` });
  },
});
