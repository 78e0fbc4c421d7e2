/** Analytics of the calls in a period: by measure, dimension and filter, compared with the preceding period. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { currency } from '../billing/top-up-cost-and-currencies.ts';
import { savedViewId } from '../ids.ts';
import { points } from '../money.ts';
import { emptyData, routes } from '../route.ts';

export const measures = [
  'charged',
  'cost',
  'margin',
  'requests',
  'errors',
  'error_rate',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'request_time_p50',
  'request_time_p95',
  'request_time_p99',
  'first_byte_time_p50',
  'first_byte_time_p95',
  'first_byte_time_p99',
] as const;
export const measure = z.enum(measures);
export type Measure = z.output<typeof measure>;

export const dimensions = ['model', 'owner', 'channel', 'group', 'user', 'token', 'status', 'stream'] as const;
export const dimension = z.enum(dimensions);
export type Dimension = z.output<typeof dimension>;

export const timeSteps = ['hour', 'day', 'week', 'month'] as const;
export const timeStep = z.enum(timeSteps);
export type TimeStep = z.output<typeof timeStep>;

/** Maximum steps of a response. */
export const STEPS_MAX = 1_000;
export const TOP_MAX = 50;
const VALUES_MAX = 100;
const LIST_MAX_CHARACTERS = 20_000;
/** 31 December 9999. */
const LAST_SECOND = 253_402_300_799;
const moment = z.coerce.number().int().min(0).max(LAST_SECOND);

/**
 * Several values in one parameter, percent-encoded and separated by commas. A single empty value is written as a
 * comma.
 */
export const valueList = z.codec(z.string().max(LIST_MAX_CHARACTERS), z.array(z.string().max(256)).max(VALUES_MAX), {
  decode: (text, context) => {
    try {
      return text === '' ? [] : [...new Set(text.split(',').map(decodeURIComponent))];
    } catch {
      context.issues.push({ code: 'invalid_format', format: 'value list', input: text });
      return z.NEVER;
    }
  },
  encode: (values) => (values.length === 1 && values[0] === '' ? ',' : values.map(encodeURIComponent).join(',')),
});
const idList = valueList.refine((values) => values.every((value) => /^\d{1,15}$/.test(value)), 'must contain ids only');
const oneOfList = <const W extends string>(words: readonly W[]) =>
  valueList.refine(
    (values) => values.every((value) => words.some((word) => word === value)),
    `must contain only ${words.join(', ')}`,
  );

/** Filters: the accepted values of each dimension, as `key` in the response names them; absent: all. */
const filters = {
  model: valueList.optional(),
  owner: valueList.optional(),
  /** Ids; 0 is none, for calls that reached no channel. */
  channel: idList.optional(),
  group: valueList.optional(),
  user: idList.optional(),
  /** Ids; 0 is none, for calls from the console. */
  token: idList.optional(),
  status: oneOfList(['answered', 'error']).optional(),
  stream: oneOfList(['true', 'false']).optional(),
};

const question = z.object({
  /** UTC seconds, both inclusive; widened to whole quarters of an hour. */
  start_timestamp: moment,
  end_timestamp: moment,
  /** Local time's offset from UTC in minutes; the same for the whole period, regardless of daylight saving time. */
  utc_offset: z.coerce.number().int().min(-840).max(840).multipleOf(15).default(0),
  /** Length of a step; weeks begin on Monday. */
  step: timeStep.default('day'),
  split: dimension.optional(),
  measure: measure.default('charged'),
  /** Number of rows, for the values with the largest measure. */
  top: z.coerce.number().int().min(1).max(TOP_MAX).default(10),
  ...filters,
});

const figures = z.object({
  charged: points,
  /** Known cost of the calls; null if none has a known cost. */
  cost: points.nullable(),
  /** Amount charged for the calls whose cost is known; minus `cost` it is the margin. */
  costed: points,
  margin: points.nullable(),
  /** Answered requests. */
  requests: z.int(),
  errors: z.int(),
  /** Share of failed calls among all calls; null without calls. */
  error_rate: z.number().nullable(),
  prompt_tokens: z.int(),
  /** Prompt tokens read from a cache. */
  cached_tokens: z.int(),
  completion_tokens: z.int(),
  /** Milliseconds of answered calls, with an error of at most 5 %; null without calls. */
  request_time_p50: z.int().nullable(),
  request_time_p95: z.int().nullable(),
  request_time_p99: z.int().nullable(),
  first_byte_time_p50: z.int().nullable(),
  first_byte_time_p95: z.int().nullable(),
  first_byte_time_p99: z.int().nullable(),
});
export type CallFigures = z.output<typeof figures>;

const named = z.object({
  /** Value of the dimension: a name, an id, `answered`, `error`, `true` or `false`; empty or 0 is none. */
  key: z.string(),
  /** Display name; an id without a name is shown as it is. */
  name: z.string(),
});
export type NamedValue = z.output<typeof named>;

/** Value of the measure for each step; null without calls. */
const line = z.array(z.number().nullable());

const row = z.object({
  current: figures,
  /** Figures of the preceding period of the same length; during the period, of the same elapsed time. */
  before: figures,
});

/** Maximum lines of a chart; one more line sums the remaining values. */
export const LINES_MAX = 7;

export const analysis = z.object({
  /** UTC seconds at which each step begins; the first step begins with the period. */
  steps: z.array(seconds),
  total: row,
  /** Totals by step; empty with a split. */
  by_step: z.array(figures),
  total_line: line,
  total_line_before: line,
  /** Rows with the largest measure; empty without a split. */
  rows: z.array(row.extend(named.shape)),
  /** Sum of all further values; null without any. */
  others: row.extend({ values: z.int() }).nullable(),
  /** Lines of the first rows, in the same order. */
  lines: z.array(line),
  /** Sum of the rows without a line; null without any. */
  others_line: line.nullable(),
  /** Names of the filtered values. */
  filtered: z.partialRecord(dimension, z.array(named)),
  /** Moment in UTC seconds from which calls are still missing in the rollups; null: none are missing. */
  complete_until: seconds.nullable(),
});
export type Analysis = z.output<typeof analysis>;

const savedView = z.object({
  id: savedViewId,
  name: z.string(),
  /** Query of the screen's URL, without the question mark. */
  search: z.string(),
});
export type SavedView = z.output<typeof savedView>;

export const SAVED_VIEWS_MAX = 50;
const viewName = z.string().trim().min(1).max(64);
const viewById = z.object({ id: savedViewId });

const count = z.int();

/** Days that the margins of prices cover. */
export const MARGIN_DAYS = 30;

const priceMargin = z.object({
  costed: points,
  /** Cost of these calls. */
  cost: points,
});
export type PriceMargin = z.output<typeof priceMargin>;

export const analytics = routes({
  margins: {
    method: 'GET',
    path: '/api/analytics/margins',
    access: 'overview.read',
    summary: 'Retrieve the revenue and cost of each price in the last 30 days, by model or pattern',
    answer: z.record(z.string(), priceMargin),
  },
  ask: {
    method: 'GET',
    path: '/api/analytics',
    access: 'overview.read',
    summary: 'Query the usage of a period by any measure and dimension, with the preceding period',
    query: question,
    answer: analysis,
  },
  export: {
    method: 'GET',
    path: '/api/analytics/export',
    access: 'overview.read',
    summary: 'Export the same usage query as a table',
    query: question,
    answer: z.string(),
    file: 'text/csv',
    auditAs: { action: 'analytics.export', target: 'analytics' },
  },
  values: {
    method: 'GET',
    path: '/api/analytics/values',
    access: 'overview.read',
    summary: 'Search the values of a dimension by name, for filters; at most 20',
    query: z.object({ dimension, keyword: z.string().max(128).default('') }),
    answer: z.array(named),
  },
  statistics: {
    method: 'GET',
    path: '/api/analytics/statistics',
    access: 'overview.read',
    summary: 'Retrieve the current users, channels and balances, and the total of top-ups if the caller may see money',
    answer: z.object({
      users: z.object({ total: count, invited: count, disabled: count }),
      channels: z.object({ enabled: count, disabled: count, auto_disabled: count }),
      /** Sum of the balances of all users. */
      balance: points,
      used: points,
      recharge: z
        .object({
          codes: count,
          code_quota: points,
          orders: z.array(z.object({ currency, orders: count, amount: z.number(), quota: points })),
        })
        .nullable(),
    }),
  },
  listViews: {
    method: 'GET',
    path: '/api/analytics/views',
    access: 'overview.read',
    summary: 'List your saved views, by name',
    answer: z.array(savedView),
  },
  createView: {
    method: 'POST',
    path: '/api/analytics/views',
    access: 'overview.read',
    summary: 'Save a view under a new name',
    body: z.object({ name: viewName, search: z.string().max(4_000) }),
    answer: savedView,
  },
  renameView: {
    method: 'PUT',
    path: '/api/analytics/views/:id',
    access: 'overview.read',
    summary: 'Rename one of your saved views',
    params: viewById,
    body: z.object({ name: viewName }),
    answer: savedView,
  },
  removeView: {
    method: 'DELETE',
    path: '/api/analytics/views/:id',
    access: 'overview.read',
    summary: 'Delete one of your saved views',
    params: viewById,
    answer: emptyData,
  },
});
