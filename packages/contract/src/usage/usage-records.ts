/** Usage records of billed calls, and records of balance changes; screens call them logs. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { apiKeyId, channelId, usageRecordId, userId } from '../ids.ts';
import { points } from '../money.ts';
import { ruleAction, rulePlace } from '../operations/content-safety.ts';
import { listQuery, paged, routes } from '../route.ts';
import { recordType } from '../wire-enums.ts';

/** `reported` by the upstream; `counted` with the model's vocabulary; `estimated` from the number of characters. */
export const usageSource = z.enum(['reported', 'counted', 'estimated', 'none']);

/** Outcome of a call, which determines its charge; see the operator's manual. */
export const ending = z.enum(['complete', 'client-left', 'upstream-failed', 'gateway-stopped']);
export type Ending = z.output<typeof ending>;

export const usageRecord = z.object({
  id: usageRecordId,
  /** Also in the response header `x-request-id`, and in the message of an error that is not a vendor's. */
  request_id: z.string(),
  created_at: seconds,
  type: recordType,
  /** Description of the event, for records that are not calls; the error of a failed call. */
  content: z.string(),
  user_id: userId,
  username: z.string(),
  token_id: apiKeyId.nullable(),
  token_name: z.string(),
  model_name: z.string(),
  /** User group whose ratio was applied. */
  group: z.string(),
  quota: points,
  /** Input tokens, including cached ones. */
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
  /** Milliseconds from the request's arrival to its end. */
  request_time: z.int(),
  /** Milliseconds to the first byte of the response; 0 without one. */
  first_byte_time: z.int(),
  is_stream: z.boolean(),
  source_ip: z.string(),
  usage_source: usageSource,
  /** Operator's cost of the call; null when unknown, and for everyone but administrators. */
  cost: points.nullable(),
  /** Administrators only; null for others. */
  channel: z.object({ id: channelId, name: z.string() }).nullable(),
});
export type UsageRecord = z.output<typeof usageRecord>;

/** Calculation of the charge; enough to repeat it by hand. */
export const receipt = z.object({
  /** `tokens`: counters × rates; `times`: one price for each call. */
  price_type: z.enum(['tokens', 'times']),
  /** Entry of the price list that applied, for instance `gpt-4o*`. */
  price_model: z.string(),
  /** Stored version of that entry; 0 is the built-in price, null is an old receipt. */
  price_version: z.int().nullable(),
  /** Prompt tokens above which the rates of the lines apply; null without tiers. */
  tier_above: z.int().nullable(),
  lines: z.array(
    z.object({
      counter: z.string(),
      /** Model whose price applies, if it differs from the requested one; empty otherwise. */
      model: z.string(),
      /** Size and quality of the images; empty otherwise. */
      variant: z.string(),
      quantity: z.int(),
      /** Nano-points for each token, call or unit, before the ratios. */
      rate: z.int(),
      /** `quantity × rate`, in nano-points, as decimal text because it can exceed 2^53. */
      amount: z.string(),
      /** True if the batch ratio does not apply to the line. */
      undiscounted: z.boolean(),
    }),
  ),
  group_ratio: z.number(),
  /** Additional ratio of the token. */
  token_ratio: z.number(),
  /** Ratio of a request in a batch, for the lines that it applies to; null otherwise. */
  batch_ratio: z.number().nullable(),
  /** The product of lines and ratios is rounded once. */
  rounding: z.literal('up'),
  /**
   * True if the calculated charge exceeded the maximum of one call, or a counter was implausible and not charged as
   * reported.
   */
  capped: z.boolean(),
  total: points,
});

/** Reason why a channel was, or was not, selected for an attempt. */
export const verdict = z.object({
  channel_id: channelId,
  channel_name: z.string(),
  reason: z.enum([
    'chosen',
    'pinned',
    'warm',
    'fastest',
    'cheapest',
    'last-resort',
    'outweighed',
    'colder',
    'slower',
    'dearer',
    'lower-priority',
    'tried',
    'lacks',
    'resting',
    'open',
    'probing',
    'capped',
  ]),
  /** End of the state in UTC seconds for `resting`, `open`, `probing` and `capped`; 0 otherwise. */
  until: seconds,
  /** Missing capability for `lacks`; empty otherwise. */
  lacks: z.string(),
});
export type Verdict = z.output<typeof verdict>;

export const attempt = z.object({
  /** Administrators only; null for others, like the model's name at the vendor and its message. */
  channel_id: channelId.nullable(),
  channel_name: z.string(),
  /** Last characters of the key, for a channel with several keys and for administrators; empty otherwise. */
  key_hint: z.string(),
  upstream_model: z.string(),
  /** Model that the vendor reports, if it differs from the requested one, for administrators; empty otherwise. */
  served_model: z.string(),
  /** HTTP status; 0 without a response. */
  status: z.int(),
  /** Milliseconds from the request's arrival. */
  started_after: z.int(),
  duration: z.int(),
  outcome: z.enum([
    'answered',
    'rate-limited',
    'out-of-credit',
    'unauthorised',
    'rejected',
    'untranslatable',
    'overloaded',
    'unreachable',
    'garbled',
    'cut',
    'abandoned',
  ]),
  message: z.string(),
  /** Administrators only; empty for others. */
  verdicts: z.array(verdict),
});
export type Attempt = z.output<typeof attempt>;

export const usageRecordDetail = usageRecord.extend({
  receipt: receipt.nullable(),
  /** Null for records that are not calls, and for old records. */
  ending: ending.nullable(),
  attempts: z.array(attempt),
  /** Requested model, if a fallback replaced it; empty otherwise. */
  requested_model: z.string(),
  /** Batch of the call; empty without one. */
  batch: z.string(),
  /** Overdraft: points of the charge that the balance did not cover. */
  overrun: points,
  /** Request fields that the upstream's dialect could not carry. */
  dropped: z.array(z.string()),
  /** Matches of content safety rules; administrators only, empty for others. */
  safety: z.array(z.object({ rule: z.string(), action: ruleAction, place: rulePlace, failed: z.boolean() })),
});
export type UsageRecordDetail = z.output<typeof usageRecordDetail>;

const ownFilters = {
  /** Absent: all types. */
  log_type: recordType.optional(),
  start_timestamp: z.coerce.number().int().optional(),
  end_timestamp: z.coerce.number().int().optional(),
  model_name: z.string().max(128).optional(),
  token_name: z.string().max(64).optional(),
  token_id: apiKeyId.optional(),
  request_id: z.string().max(64).optional(),
  is_stream: z.stringbool().optional(),
};
const allFilters = {
  ...ownFilters,
  username: z.string().max(64).optional(),
  user_id: userId.optional(),
  channel_id: channelId.optional(),
  group: z.string().max(32).optional(),
  source_ip: z.string().max(64).optional(),
  /** Only calls whose upstream reports another model than the requested one. */
  other_model: z.stringbool().optional(),
};

/** Excludes the channel, which users don't see: the order would reveal which calls had the same one. */
const ownSortable = [
  'id',
  'created_at',
  'token_name',
  'model_name',
  'type',
  'source_ip',
  'quota',
  'request_time',
] as const;
const allSortable = [...ownSortable, 'channel_id', 'user_id'] as const;

/** Totals of all calls that match the filter. */
const totals = z.object({ quota: points, requests: z.int(), prompt_tokens: z.int(), completion_tokens: z.int() });
export type UsageTotals = z.output<typeof totals>;

const byId = z.object({ id: usageRecordId });

export const usageRecords = routes({
  list: {
    method: 'GET',
    path: '/api/log/',
    access: 'records.read',
    summary: 'List the usage records of all users',
    query: listQuery(allSortable, allFilters),
    answer: paged(usageRecord),
  },
  listOwn: {
    method: 'GET',
    path: '/api/log/self',
    access: 'user',
    summary: 'List your usage records',
    query: listQuery(ownSortable, ownFilters),
    answer: paged(usageRecord),
  },
  totals: {
    method: 'GET',
    path: '/api/log/stat',
    access: 'records.read',
    summary: 'Retrieve the totals of the matching usage records',
    query: z.object(allFilters),
    answer: totals,
  },
  totalsOwn: {
    method: 'GET',
    path: '/api/log/self/stat',
    access: 'user',
    summary: 'Retrieve the totals of your matching usage records',
    query: z.object(ownFilters),
    answer: totals,
  },
  export: {
    method: 'GET',
    path: '/api/log/export',
    access: 'records.read',
    summary: 'Export the newest 100,000 matching usage records',
    query: z.object(allFilters),
    answer: z.string(),
    file: 'text/csv',
    auditAs: { action: 'usage-record.export', target: 'usage_record' },
  },
  exportOwn: {
    method: 'GET',
    path: '/api/log/self/export',
    access: 'user',
    summary: 'Export your newest 100,000 matching usage records',
    query: z.object(ownFilters),
    answer: z.string(),
    file: 'text/csv',
  },
  get: {
    method: 'GET',
    path: '/api/log/:id',
    access: 'records.read',
    summary: 'Retrieve a usage record with its receipt and attempts',
    params: byId,
    answer: usageRecordDetail,
  },
  getOwn: {
    method: 'GET',
    path: '/api/log/self/:id',
    access: 'user',
    summary: 'Retrieve one of your usage records with its receipt',
    params: byId,
    answer: usageRecordDetail,
  },
  removeOld: {
    method: 'DELETE',
    path: '/api/log/',
    access: 'root',
    summary: 'Delete usage records of calls before a given time; balances and ledger are kept. Returns their number',
    query: z.object({ target_timestamp: z.coerce.number().int() }),
    answer: z.int(),
  },
});
