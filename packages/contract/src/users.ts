import { z } from 'zod';
import { accountFields, displayName, password, seconds, username } from './account.ts';
import { role, userStatus } from './codes.ts';
import { staffRoleId, userId } from './ids.ts';
import { mailAddress } from './mail.ts';
import { points } from './money.ts';
import { listQuery, nothing, paged, routes } from './route.ts';

/** What the self-check found wrong with a user's books; as long as there is one, the user spends nothing. */
export const ledgerAlarms = z.array(
  z.object({
    problem: z.string(),
    /** Stored minus computed. */
    difference: points,
    found_at: seconds,
  }),
);

export const user = z.object({
  ...accountFields,
  last_login_ip: z.string(),
  /** What a member of staff may do. */
  staff_role: staffRoleId.nullable(),
  ledger_alarms: ledgerAlarms,
});
export type User = z.output<typeof user>;

const email = z.union([z.literal(''), mailAddress]);

export const createUser = z.object({
  username,
  password,
  display_name: displayName.default(''),
  email: email.default(''),
  group: z.string().min(1).default('default'),
  role: role.default('user'),
});

export const updateUser = z.object({
  id: userId,
  username: username.optional(),
  display_name: displayName.optional(),
  password: password.optional(),
  email: email.optional(),
  group: z.string().min(1).optional(),
  role: role.optional(),
  /** Null takes it away. */
  staff_role: staffRoleId.nullable().optional(),
  status: userStatus.optional(),
});

export const changeQuota = z.object({
  /** Points to add; negative to deduct, never more than the balance. */
  quota: points.refine((value) => value !== 0, 'must not be 0'),
  remark: z.string().max(200).default(''),
});

const byId = z.object({ id: userId });

export const users = routes({
  list: {
    method: 'GET',
    path: '/api/user/',
    access: 'users.read',
    summary: 'Users',
    query: listQuery(
      [
        'id',
        'username',
        'role',
        'status',
        'created_time',
        'last_login_time',
        'last_login_ip',
        'quota',
        'used_quota',
        'request_count',
      ],
      {
        /** An id, or the beginning of a name, mail address or group. */
        keyword: z.string().max(128).optional(),
        role: role.optional(),
        status: userStatus.optional(),
        group: z.string().max(64).optional(),
      },
    ),
    answer: paged(user),
  },
  get: {
    method: 'GET',
    path: '/api/user/:id',
    access: 'users.read',
    summary: 'One user',
    params: byId,
    answer: user,
  },
  create: {
    method: 'POST',
    path: '/api/user/',
    access: 'users.write',
    summary: 'Creates a user',
    body: createUser,
    answer: user,
  },
  update: {
    method: 'PUT',
    path: '/api/user/',
    access: 'users.write',
    summary: 'Changes the fields that are sent; nobody changes an equal or higher role but root',
    body: updateUser,
    answer: user,
  },
  manage: {
    method: 'POST',
    path: '/api/user/manage',
    access: 'users.write',
    summary: 'Status and role changes by user name',
    body: z.object({
      username: z.string().max(64),
      action: z.enum(['enable', 'disable', 'delete', 'promote', 'demote', 'set_reliable']),
    }),
    answer: z.object({ role, status: userStatus }),
  },
  changeQuota: {
    method: 'POST',
    path: '/api/user/quota/:id',
    access: 'balances.write',
    summary: "Adds to or deducts from a user's balance; answers with the user as it then is",
    params: byId,
    body: changeQuota,
    answer: user,
  },
  acknowledgeAlarms: {
    method: 'POST',
    path: '/api/user/:id/acknowledge-alarms',
    access: 'balances.write',
    summary: 'Lets a user spend again whose books did not add up; repairs nothing',
    params: byId,
    answer: user,
  },
  remove: {
    method: 'DELETE',
    path: '/api/user/:id',
    access: 'users.write',
    summary: 'Deletes a user and disables its tokens',
    params: byId,
    answer: nothing,
  },
});
