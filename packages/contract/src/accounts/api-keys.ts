/** API keys of the relay API; screens call them tokens. */
import { z } from 'zod';
import { ratio } from '../catalog/price-rates.ts';
import { apiKeyId, userId } from '../ids.ts';
import { points, pointsAmount } from '../money.ts';
import { emptyData, listQuery, paged, routes } from '../route.ts';
import { apiKeyStatus } from '../wire-enums.ts';
import { expiry, seconds } from './account-fields.ts';
import { normalizeTokenFields } from './normalize-legacy-token-limits.ts';

/**
 * Maximum bytes of JSON of a token's models and addresses together. Every node keeps the lists of all tokens in
 * memory. A token that already has longer lists keeps them, but they cannot grow.
 */
export const KEY_LISTS_BYTES_MAX = 16 * 1_024;

/** Fits lists that are too long as well, so that the error names them, and clients can send back a whole token. */
const BODY_BYTES_MAX = 512 * 1_024;

/** Expiry of a key that never expires. */
export const NEVER = -1;

/** Points that may be spent in each period; null: no limit. Days begin at 0:00 UTC, weeks on Mondays. */
export const budgets = z.object({
  day: pointsAmount.nullable(),
  week: pointsAmount.nullable(),
  month: pointsAmount.nullable(),
});
const NO_BUDGETS = { day: null, week: null, month: null };

/** Zod takes any text that is a number as a prefix, such as `1.5` and `NaN`. */
const wholePrefix = /\/\d+$/;

const limits = z.object({
  limit_model_setting: z.object({ enabled: z.boolean(), models: z.array(z.string().min(1).max(128)).max(500) }),
  limits_ip_setting: z.object({
    enabled: z.boolean(),
    whitelist: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6().regex(wholePrefix)])).max(200),
  }),
  /** Maximum concurrent requests; 0: the installation's limit for a token. */
  concurrency: z.int().min(0).max(100_000),
  /** Additional limit of the token; 0: only the group's limit applies. */
  tokens_per_minute: z.int().min(0).max(1_000_000_000),
  budgets,
});

const setting = z.object({
  /** Sends a comment line while a stream waits, for clients and proxies with short timeouts. */
  heartbeat: z.object({ enabled: z.boolean(), timeout_seconds: z.int().min(30).max(90) }),
  /** Refuses a request of which an upstream's dialect could not carry every field, instead of leaving the field out. */
  strict_translation: z.boolean(),
  limits,
});

const completeLimits = limits.extend({
  concurrency: limits.shape.concurrency.default(0),
  tokens_per_minute: limits.shape.tokens_per_minute.default(0),
  budgets: budgets.default(NO_BUDGETS),
});
const NO_LIMITS = {
  limit_model_setting: { enabled: false, models: [] },
  limits_ip_setting: { enabled: false, whitelist: [] },
  concurrency: 0,
  tokens_per_minute: 0,
  budgets: NO_BUDGETS,
};

export const apiKeySetting = z.object({
  heartbeat: setting.shape.heartbeat.default({ enabled: false, timeout_seconds: 30 }),
  strict_translation: setting.shape.strict_translation.default(false),
  limits: completeLimits.default(NO_LIMITS),
});
/**
 * The setting as it is stored and returned. Its addresses were checked when they were written: a check of 200 takes
 * 1.5 ms, and a page has a hundred tokens.
 */
export const storedApiKeySetting = apiKeySetting.extend({
  limits: completeLimits
    .extend({ limits_ip_setting: z.object({ enabled: z.boolean(), whitelist: z.array(z.string()).max(200) }) })
    .default(NO_LIMITS),
});
export type ApiKeySetting = z.output<typeof apiKeySetting>;

const periodUse = z.object({ used: points, resets_at: seconds });

export const apiKey = z.object({
  id: apiKeyId,
  user_id: userId.meta({ readOnly: true }),
  name: z.string(),
  /** Prefix and last four characters; only `create`, `rotate` and `reveal` return the whole key. */
  key: z.string().meta({ readOnly: true }),
  /** False where keys are shown once, so that `reveal` cannot return the whole key. */
  revealable: z.boolean().meta({ readOnly: true }),
  status: apiKeyStatus,
  created_time: seconds.meta({ readOnly: true }),
  /** UTC seconds; 0: never used. */
  accessed_time: seconds.meta({ readOnly: true }),
  expired_time: seconds,
  remain_quota: points,
  unlimited_quota: z.boolean(),
  used_quota: points.meta({ readOnly: true }),
  /** Amounts charged in the current periods, whether or not they have a budget. */
  spent: z.object({ day: periodUse, week: periodUse, month: periodUse }).meta({ readOnly: true }),
  group: z.string(),
  backup_group: z.string(),
  /** Requests per minute for this token; 0: only the group's limit applies. */
  api_rate: z.int(),
  /** Factor of every price for this token, besides the group's ratio; administrators set it. */
  ratio: z.number(),
  setting: storedApiKeySetting,
});
export type ApiKey = z.output<typeof apiKey>;

/** Fields of a token that users other than its owner see. */
export const visibleApiKey = apiKey.pick({
  id: true,
  name: true,
  status: true,
  group: true,
  ratio: true,
  used_quota: true,
  remain_quota: true,
  unlimited_quota: true,
  api_rate: true,
  created_time: true,
  accessed_time: true,
  expired_time: true,
});
export type VisibleApiKey = z.output<typeof visibleApiKey>;

const fields = {
  name: z.string().trim().min(1).max(30),
  expired_time: z.union([z.literal(NEVER), expiry.positive()]),
  remain_quota: pointsAmount,
  unlimited_quota: z.boolean(),
  /** Empty: the owner's group. */
  group: z.string().max(32),
  backup_group: z.string().max(32),
  api_rate: z.int().min(0).max(100_000),
  setting: apiKeySetting,
};

export const createApiKey = z.object({
  ...fields,
  expired_time: fields.expired_time.default(NEVER),
  remain_quota: pointsAmount.default(0 as z.output<typeof pointsAmount>),
  unlimited_quota: fields.unlimited_quota.default(false),
  group: fields.group.default(''),
  backup_group: fields.backup_group.default(''),
  api_rate: fields.api_rate.default(0),
  setting: apiKeySetting.prefault({}),
});
export type CreateApiKey = z.output<typeof createApiKey>;

/** Excludes `expired` and `exhausted`, which follow from time and quota. */
const settableStatus = apiKeyStatus.refine(
  (status) => status === 'enabled' || status === 'disabled',
  'must be 1 (enabled) or 2 (disabled)',
);

/** Has no defaults, so that a field that is not sent does not change. */
export const updateApiKey = z
  .object(fields)
  .partial()
  .extend({
    id: apiKeyId,
    setting: setting.extend({ limits: limits.partial() }).partial().optional(),
    /** `expired` and `exhausted`, which follow from time and quota, are for clients that send the whole token back. */
    status: apiKeyStatus.optional(),
    /** Ratio for clients that send the whole token back; it must be the token's own. */
    ratio: ratio.optional(),
  });

const byId = z.object({ id: apiKeyId });
const withKey = apiKey.extend({ key: z.string() });

export const apiKeys = routes({
  list: {
    method: 'GET',
    path: '/api/token/',
    access: 'user',
    summary: 'List your tokens',
    query: listQuery(
      ['id', 'name', 'status', 'expired_time', 'created_time', 'accessed_time', 'remain_quota', 'used_quota'],
      {
        /** Prefix of the name. */
        keyword: z.string().max(64).optional(),
        status: apiKeyStatus.optional(),
        group: z.string().max(32).optional(),
      },
    ),
    answer: paged(apiKey),
  },
  get: {
    method: 'GET',
    path: '/api/token/:id',
    access: 'user',
    summary: 'Retrieve one of your tokens',
    params: byId,
    answer: apiKey,
  },
  create: {
    method: 'POST',
    path: '/api/token/',
    access: 'user',
    bodyMaxBytes: BODY_BYTES_MAX,
    summary: 'Create a token; the response contains the full key',
    body: createApiKey,
    fromOtherGateways: normalizeTokenFields,
    answer: withKey,
  },
  update: {
    method: 'PUT',
    path: '/api/token/',
    access: 'user',
    bodyMaxBytes: BODY_BYTES_MAX,
    summary: 'Update the fields that are sent',
    query: z.object({ status_only: z.string().max(16).optional() }),
    body: updateApiKey,
    answer: apiKey,
  },
  listOf: {
    method: 'GET',
    path: '/api/user/:id/tokens',
    access: 'users.read',
    summary: 'List the tokens of a user with a lower role, newest first, without their keys',
    params: z.object({ id: userId }),
    answer: z.array(visibleApiKey),
  },
  switch: {
    method: 'PUT',
    path: '/api/token/:id/status',
    access: 'users.write',
    summary: 'Enable or disable a token of a user with a lower role',
    params: byId,
    body: z.object({ status: settableStatus }),
    answer: emptyData,
  },
  setRatio: {
    method: 'PUT',
    path: '/api/token/:id/ratio',
    access: 'balances.write',
    summary: 'Set the price ratio of any token',
    params: byId,
    body: z.object({ ratio }),
    answer: emptyData,
  },
  remove: {
    method: 'DELETE',
    path: '/api/token/:id',
    access: 'user',
    summary: 'Delete a token',
    params: byId,
    answer: emptyData,
  },
  reveal: {
    method: 'POST',
    path: '/api/token/:id/key',
    access: 'user',
    stepUp: true,
    summary: 'Retrieve the full key of one of your tokens; requires a recent identity confirmation',
    params: byId,
    answer: z.string(),
  },
  rotate: {
    method: 'POST',
    path: '/api/token/:id/rotate',
    access: 'user',
    summary: 'Replace the key; the old key stops working immediately',
    params: byId,
    answer: withKey,
  },
});
