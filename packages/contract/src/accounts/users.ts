import { z } from 'zod';
import { errorCodes } from '../errors.ts';
import { staffRoleId, userId } from '../ids.ts';
import { points } from '../money.ts';
import { mailAddress } from '../operations/mail.ts';
import { emptyData, listQuery, paged, routes } from '../route.ts';
import { role, userStatus } from '../wire-enums.ts';
import { accountFields, displayName, password, seconds, username } from './account-fields.ts';

/** Ledger discrepancies of a user; while one is open, the user cannot spend. */
const ledgerAlarms = z.array(
  z.object({
    problem: z.string(),
    /** Stored minus computed balance. */
    difference: points,
    found_at: seconds,
  }),
);

export const user = z.object({
  ...accountFields,
  last_login_ip: z.string(),
  /** Points that running requests hold; not included in `quota`. */
  held_quota: points,
  /** Role that determines a staff member's permissions. */
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
  /** Null removes the role. */
  staff_role: staffRoleId.nullable().optional(),
  status: userStatus.optional(),
});

export const changeQuota = z.object({
  /** Points to add; negative to deduct, never more than the balance. */
  quota: points.refine((value) => value !== 0, 'must not be 0'),
  remark: z.string().max(200).default(''),
});

const byId = z.object({ id: userId });

const moment = z.coerce.number().int().optional();
const balance = z.coerce.number().int().optional();

const filters = {
  /** Id, or a prefix of a name, mail address or group. */
  keyword: z.string().max(128).optional(),
  role: role.optional(),
  status: userStatus.optional(),
  group: z.string().max(64).optional(),
  /** Spendable points, both limits inclusive. */
  balance_min: balance,
  balance_max: balance,
  /** Filter for users with a ledger discrepancy. */
  alarmed: z.stringbool().optional(),
  /** UTC seconds. A user who never signed in counts as seen before every moment. */
  seen_after: moment,
  seen_before: moment,
  created_after: moment,
  created_before: moment,
};

const ids = z.array(userId).min(1).max(500);

/** Bulk edit of several users. */
export const userEdit = z.discriminatedUnion('do', [
  z.object({ do: z.literal('enable') }),
  z.object({ do: z.literal('disable') }),
  z.object({ do: z.literal('set-group'), group: z.string().min(1).max(64) }),
  z.object({ do: z.literal('sign-out') }),
  z.object({ do: z.literal('delete') }),
]);
export type UserEdit = z.output<typeof userEdit>;

/** One result per user, in the order of the ids; `refusal` is null for a success. */
const editResults = z.array(
  z.object({
    id: userId,
    /** Empty for a user that does not exist. */
    username: z.string(),
    refusal: z.object({ code: z.enum(errorCodes), message: z.string() }).nullable(),
  }),
);
export type EditResults = z.output<typeof editResults>;

export const users = routes({
  list: {
    method: 'GET',
    path: '/api/user/',
    access: 'users.read',
    summary: 'List the users',
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
      filters,
    ),
    answer: paged(user),
  },
  export: {
    method: 'GET',
    path: '/api/user/csv',
    access: 'users.read',
    summary: 'Export the newest 100,000 matching users',
    query: z.object(filters),
    answer: z.string(),
    file: 'text/csv',
    auditAs: { action: 'user.export', target: 'user' },
  },
  get: {
    method: 'GET',
    path: '/api/user/:id',
    access: 'users.read',
    summary: 'Retrieve a user',
    params: byId,
    answer: user,
  },
  create: {
    method: 'POST',
    path: '/api/user/',
    access: 'users.write',
    summary: 'Create a user',
    body: createUser,
    answer: user,
  },
  update: {
    method: 'PUT',
    path: '/api/user/',
    access: 'users.write',
    summary: 'Update the fields that are sent; only root can change users with an equal or higher role',
    body: updateUser,
    answer: user,
  },
  manage: {
    method: 'POST',
    path: '/api/user/manage',
    access: 'users.write',
    summary: 'Change the status or role of a user by username',
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
    summary: "Add to or deduct from a user's balance; returns the updated user",
    params: byId,
    body: changeQuota,
    answer: user,
  },
  edit: {
    method: 'POST',
    path: '/api/user/edit',
    access: 'users.write',
    summary: 'Apply the same change to several users; each user succeeds or fails independently',
    body: z.object({ ids, edit: userEdit }),
    answer: editResults,
  },
  changeQuotas: {
    method: 'POST',
    path: '/api/user/quotas',
    access: 'balances.write',
    summary: 'Add to or deduct from the balances of several users; each user succeeds or fails independently',
    body: changeQuota.extend({ ids }),
    answer: editResults,
  },
  acknowledgeAlarms: {
    method: 'POST',
    path: '/api/user/:id/acknowledge-alarms',
    access: 'balances.write',
    summary: 'Unlock a user whose balance did not match the ledger; repairs nothing',
    params: byId,
    answer: user,
  },
  remove: {
    method: 'DELETE',
    path: '/api/user/:id',
    access: 'users.write',
    summary: 'Delete a user and disable its tokens',
    params: byId,
    answer: emptyData,
  },
});
