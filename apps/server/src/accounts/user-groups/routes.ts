import type { userGroups } from '@switchyard/contract/accounts/user-groups';
import type { RouteInput } from '@switchyard/contract/route';
import type { Context } from '../../context.ts';
import { audit, diffRecords } from '../../operations/audit/audit.ts';
import type { Call, Handlers } from '../../platform/http/mount-routes.ts';
import {
  createUserGroup,
  getUserGroup,
  listGroupSymbols,
  listUserGroups,
  listVisibleGroups,
  removeUserGroup,
  toggleUserGroup,
  updateUserGroup,
} from './user-groups.ts';

type UpdateUserGroup = RouteInput<(typeof userGroups)['update']>['body'];

export const userGroupRoutes = (ctx: Context): Handlers<typeof userGroups> => ({
  list: ({ query }) => listUserGroups(ctx, query),
  get: ({ params }) => getUserGroup(ctx, params.id),
  create: async ({ body }, call) => {
    const group = await createUserGroup(ctx, body);
    await audit(ctx, call, { action: 'user-group.create', target: `user_group:${group.id}`, detail: body });
    return group;
  },
  update: ({ body }, call) => updateAudited(ctx, body, call),
  updateById: ({ params, body }, call) => updateAudited(ctx, { ...body, id: params.id }, call),
  toggle: async ({ params }, call) => {
    const group = await toggleUserGroup(ctx, params.id);
    const action = group.enable ? 'user-group.enable' : 'user-group.disable';
    await audit(ctx, call, { action, target: `user_group:${group.id}` });
    return group;
  },
  remove: async ({ params }, call) => {
    await removeUserGroup(ctx, params.id);
    await audit(ctx, call, { action: 'user-group.delete', target: `user_group:${params.id}` });
  },
  symbols: () => listGroupSymbols(ctx),
  map: (_input, { caller }) => listVisibleGroups(ctx, caller),
});

async function updateAudited(ctx: Context, body: UpdateUserGroup, call: Call<'groups.write'>) {
  const before = await getUserGroup(ctx, body.id);
  const group = await updateUserGroup(ctx, body);
  await audit(ctx, call, {
    action: 'user-group.update',
    target: `user_group:${group.id}`,
    detail: { changes: diffRecords(before, group) },
  });
  return group;
}
