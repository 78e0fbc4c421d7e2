/** Redemption codes for quota. A batch is the codes that were created together; they are alike. */
import { z } from 'zod';
import { expiry, seconds } from '../accounts/account-fields.ts';
import { codeBatchId, redemptionCodeId, userId } from '../ids.ts';
import { points, pointsAmount } from '../money.ts';
import { emptyData, listQuery, paged, routes } from '../route.ts';
import { redemptionStatus } from '../wire-enums.ts';

const batchName = z.string().trim().min(1).max(64);
const groupOrNone = z.string().max(32);

export const codeBatch = z.object({
  id: codeBatchId,
  name: z.string(),
  /** Quota of each code. */
  quota: points,
  count: z.int(),
  used: z.int(),
  /** Codes that are neither redeemed nor deleted; deleting the batch deletes them. */
  unused: z.int(),
  prefix: z.string(),
  /** UTC seconds; 0: never expires. */
  expires_time: seconds,
  /** Codes of this batch that one user may redeem; 0: any number. */
  per_user: z.int(),
  /** Group whose members alone may redeem the codes; empty: every user. */
  for_group: groupOrNone,
  /** Group to which the redeeming user moves; empty: no change. */
  grant_group: groupOrNone,
  enabled: z.boolean(),
  created_time: seconds,
  created_by: z.string(),
});
export type CodeBatch = z.output<typeof codeBatch>;

export const redemptionCode = z.object({
  id: redemptionCodeId,
  batch_id: codeBatchId,
  name: z.string(),
  /** Last characters of the code. */
  hint: z.string(),
  status: redemptionStatus,
  quota: points,
  created_time: seconds,
  /** UTC seconds; 0: never expires. */
  expires_time: seconds,
  /** UTC seconds; 0: not redeemed. */
  redeemed_time: seconds,
  redeemed_by: z.object({ id: userId, username: z.string() }).nullable(),
});
export type RedemptionCode = z.output<typeof redemptionCode>;

/** Maximum balance in points. */
const QUOTA_MAX = 1_000_000_000_000_000;
const perUser = z.int().min(0).max(1_000_000);
const quota = pointsAmount.min(1).max(QUOTA_MAX);

export const createBatch = z.object({
  name: batchName,
  quota,
  count: z.int().min(1).max(10_000).default(1),
  prefix: z
    .string()
    .trim()
    .regex(/^(?:[A-Za-z0-9][A-Za-z0-9-]{0,11})?$/)
    .default(''),
  expires_time: expiry.default(0),
  per_user: perUser.default(0),
  for_group: groupOrNone.default(''),
  grant_group: groupOrNone.default(''),
});

export const updateBatch = z.object({
  id: codeBatchId,
  name: batchName.optional(),
  expires_time: expiry.optional(),
  per_user: perUser.optional(),
  enabled: z.boolean().optional(),
});

const byId = z.object({ id: redemptionCodeId });
const byBatch = z.object({ id: codeBatchId });

export const redemptionCodes = routes({
  redeem: {
    method: 'POST',
    path: '/api/user/topup',
    access: 'user',
    summary: 'Redeem a code; returns its value in points',
    body: z.object({ key: z.string().trim().min(1).max(128) }),
    answer: points,
  },
  list: {
    method: 'GET',
    path: '/api/redemption/',
    access: 'codes.read',
    summary: 'List the redemption codes',
    query: listQuery(['id', 'name', 'status', 'quota', 'created_time', 'redeemed_time'], {
      /** Id, prefix of a name, or whole code. */
      keyword: z.string().max(64).optional(),
      status: redemptionStatus.optional(),
      batch_id: codeBatchId.optional(),
      /** User who redeemed the code. */
      username: z.string().max(64).optional(),
    }),
    answer: paged(redemptionCode),
  },
  get: {
    method: 'GET',
    path: '/api/redemption/:id',
    access: 'codes.read',
    summary: 'Retrieve a redemption code',
    params: byId,
    answer: redemptionCode,
  },
  create: {
    method: 'POST',
    path: '/api/redemption/',
    access: 'codes.write',
    stepUp: true,
    summary: 'Create a batch of redemption codes; returns the codes',
    body: createBatch,
    answer: z.array(z.string()),
  },
  update: {
    method: 'PUT',
    path: '/api/redemption/',
    access: 'codes.write',
    stepUp: true,
    summary: 'Enable or disable an unused code',
    body: z.object({
      id: redemptionCodeId,
      status: redemptionStatus.refine((status) => status !== 'used', 'must be 1 (enabled) or 2 (disabled)'),
    }),
    answer: redemptionCode,
  },
  remove: {
    method: 'DELETE',
    path: '/api/redemption/:id',
    access: 'codes.write',
    summary: 'Delete an unused code',
    params: byId,
    answer: emptyData,
  },
  reveal: {
    method: 'POST',
    path: '/api/redemption/:id/key',
    access: 'codes.write',
    stepUp: true,
    summary: 'Retrieve the plain text of a code',
    params: byId,
    answer: z.string(),
  },
  listBatches: {
    method: 'GET',
    path: '/api/redemption/batch/',
    access: 'codes.read',
    summary: 'List the batches of codes',
    query: listQuery(['id', 'name', 'quota', 'count', 'created_time', 'expires_time'], {
      keyword: z.string().max(64).optional(),
    }),
    answer: paged(codeBatch),
  },
  getBatch: {
    method: 'GET',
    path: '/api/redemption/batch/:id',
    access: 'codes.read',
    summary: 'Retrieve a batch of codes',
    params: byBatch,
    answer: codeBatch,
  },
  updateBatch: {
    method: 'PUT',
    path: '/api/redemption/batch/',
    access: 'codes.write',
    stepUp: true,
    summary: 'Update the fields that are sent; the codes of a disabled batch cannot be redeemed',
    body: updateBatch,
    answer: codeBatch,
  },
  removeBatch: {
    method: 'DELETE',
    path: '/api/redemption/batch/:id',
    access: 'codes.write',
    summary: 'Delete a batch and its unused codes; used codes are kept',
    params: byBatch,
    answer: emptyData,
  },
  unusedCodes: {
    method: 'POST',
    path: '/api/redemption/batch/:id/codes',
    access: 'codes.write',
    stepUp: true,
    summary: 'List the redeemable codes of a batch, for printing',
    params: byBatch,
    answer: z.array(z.string()),
  },
  exportBatch: {
    method: 'POST',
    path: '/api/redemption/batch/:id/export',
    access: 'codes.write',
    stepUp: true,
    summary: 'Export all codes of a batch with their status as CSV',
    params: byBatch,
    answer: z.string(),
    file: 'text/csv',
  },
});
