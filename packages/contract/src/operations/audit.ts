/** Audit log: actor, action, target, time and origin. Entries are never changed or deleted. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { auditEntryId, userId } from '../ids.ts';
import { listQuery, paged, routes } from '../route.ts';

export const auditEntry = z.object({
  id: auditEntryId,
  created_at: seconds,
  /** Null for acts without a signed-in user: the gateway itself, the command line, a refused sign-in. */
  user_id: userId.nullable(),
  /** Empty without a user. */
  username: z.string(),
  /** `feature.verb` */
  action: z.string(),
  /** `user:7`, or the name of a setting or price. */
  target: z.string(),
  /** Details without secrets; changes are in `changes`: field → `{before, after}`. */
  detail: z.record(z.string(), z.unknown()),
  address: z.string(),
  /** Also in the response header `x-request-id`; empty for acts outside a request. */
  request_id: z.string(),
});
export type AuditEntry = z.output<typeof auditEntry>;

const filters = {
  user_id: userId.optional(),
  /** Filter for this user's actions and for changes to this account. */
  about_user: userId.optional(),
  /** Prefix of the name. */
  username: z.string().max(64).optional(),
  /** Prefix, for instance `channel.`. */
  action: z.string().max(64).optional(),
  /** Prefix of the target. */
  target: z.string().max(128).optional(),
  start_timestamp: z.coerce.number().int().optional(),
  end_timestamp: z.coerce.number().int().optional(),
};

const auditState = z.object({
  entries: z.int(),
  intact: z.boolean(),
  /** First entry that was changed or deleted; null if the log is intact. */
  broken_id: z.int().nullable(),
});
export type AuditState = z.output<typeof auditState>;

export const audit = routes({
  list: {
    method: 'GET',
    path: '/api/audit/',
    access: 'root',
    summary: 'List the audit log',
    query: listQuery(['id', 'created_at'], filters),
    answer: paged(auditEntry),
  },
  export: {
    method: 'GET',
    path: '/api/audit/export',
    access: 'root',
    summary: 'Export the newest 100,000 matching entries',
    query: z.object(filters),
    answer: z.string(),
    file: 'text/csv',
    auditAs: { action: 'audit.export', target: 'audit_entry' },
  },
  verify: {
    method: 'GET',
    path: '/api/audit/verify',
    access: 'root',
    summary: 'Check that no entry was changed or removed',
    answer: auditState,
  },
});
