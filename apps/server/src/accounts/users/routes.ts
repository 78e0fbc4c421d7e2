import type { users } from '@switchyard/contract/accounts/users';
import type { UserId } from '@switchyard/contract/ids';
import type { Role, UserStatus } from '@switchyard/contract/wire-enums';
import type { Context } from '../../context.ts';
import { audit, diffRecords } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { changeBalance, changeBalances, editUsers } from './bulk-edit-users-and-balances.ts';
import { exportUsers, listUsers } from './list-users.ts';
import { toUserChange } from './role-rules.ts';
import { acknowledgeDiscrepancies, createUser, getUser, removeUser, requireUserByName, updateUser } from './users.ts';

export const userRoutes = (ctx: Context): Handlers<typeof users> => ({
  list: ({ query }) => listUsers(ctx, query),
  export: ({ query }, call) => {
    call.setFileName('users.csv');
    return exportUsers(ctx, query);
  },
  get: ({ params }) => getUser(ctx, params.id),
  create: async ({ body }, call) => {
    const user = await createUser(ctx, call.caller, body);
    const { password: _secret, ...detail } = body;
    await audit(ctx, call, { action: 'user.create', target: `user:${user.id}`, detail });
    return user;
  },
  update: async ({ body }, call) => {
    const before = await getUser(ctx, body.id);
    const user = await updateUser(ctx, call.caller, body);
    const { password, ...fields } = body;
    await audit(ctx, call, {
      action: 'user.update',
      target: `user:${user.id}`,
      detail: {
        changes: diffRecords(before, user, Object.keys(fields)),
        ...(password === undefined ? {} : { new_password: true }),
      },
    });
    return user;
  },
  manage: async ({ body: { username, action } }, call) => {
    const { id, role, status } = await requireUserByName(ctx, username);
    let after: { role: Role; status: UserStatus } = { role, status };
    if (action === 'delete') await removeUser(ctx, call.caller, id);
    else after = await updateUser(ctx, call.caller, { id: id as UserId, ...toUserChange(action) });
    await audit(ctx, call, { action: `user.${action}`, target: `user:${id}` });
    return after;
  },
  changeQuota: async ({ params, body }, call) => {
    const { user, moved } = await changeBalance(ctx, call, params.id, body);
    if (moved) await audit(ctx, call, { action: 'user.quota', target: `user:${user.id}`, detail: body });
    return user;
  },
  edit: ({ body: { ids, edit } }, call) => editUsers(ctx, call, ids, edit),
  changeQuotas: ({ body: { ids, ...change } }, call) => changeBalances(ctx, call, ids, change),
  acknowledgeAlarms: async ({ params }, call) => {
    const user = await acknowledgeDiscrepancies(ctx, call.caller, params.id);
    await audit(ctx, call, { action: 'user.acknowledge-alarms', target: `user:${user.id}` });
    return user;
  },
  remove: async ({ params }, call) => {
    await removeUser(ctx, call.caller, params.id);
    await audit(ctx, call, { action: 'user.delete', target: `user:${params.id}` });
  },
});
