import { z } from 'zod';
import { userId } from '../ids.ts';
import { points } from '../money.ts';
import { routes } from '../route.ts';

const figures = z.object({
  quota: points,
  requests: z.int(),
  errors: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Mean milliseconds of a call; 0 when there was none. */
  request_time: z.int(),
  /** Income and operator's cost of the calls with a known cost; null for everyone but administrators. */
  margin: z.object({ charged: points, cost: points }).nullable(),
});
export type Figures = z.output<typeof figures>;

const day = z.object({
  /** YYYY-MM-DD in the requested time zone. */
  date: z.string(),
  model_name: z.string(),
  quota: points,
  requests: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Milliseconds of all calls together. */
  duration_ms: z.int(),
});

export const dashboardData = z.object({
  current: figures,
  /** Figures of the preceding period of the same length. */
  before: figures,
  days: z.array(day),
});
export type Dashboard = z.output<typeof dashboardData>;

const period = z.object({
  days: z.coerce.number().int().min(1).max(90).default(7),
  /** Local time's offset from UTC in minutes. */
  utc_offset: z.coerce.number().int().min(-840).max(840).default(0),
});

const rateAnswer = z.object({
  rpm: z.int(),
  /** 0: no limit; the same holds for `max_tpm`. */
  max_rpm: z.int(),
  tpm: z.int(),
  max_tpm: z.int(),
});

const legacyDay = z.object({
  Date: z.string(),
  ModelName: z.string(),
  RequestCount: z.int(),
  Quota: z.int(),
  PromptTokens: z.int(),
  CompletionTokens: z.int(),
  RequestTime: z.int(),
});

export const dashboard = routes({
  own: {
    method: 'GET',
    path: '/api/dashboard/self',
    access: 'user',
    summary: 'Retrieve your usage over the last days',
    query: period,
    answer: dashboardData,
  },
  everyone: {
    method: 'GET',
    path: '/api/dashboard',
    access: 'overview.read',
    summary: 'Retrieve the usage of all users over the last days',
    query: period,
    answer: dashboardData,
  },
  rate: {
    method: 'GET',
    path: '/api/user/dashboard/rate',
    access: 'user',
    summary: 'Retrieve your calls and tokens of the last minute and the limits of your group',
    answer: rateAnswer,
  },
  of: {
    method: 'GET',
    path: '/api/dashboard/user/:id',
    access: 'records.read',
    summary: "Retrieve a user's usage over the last days",
    params: z.object({ id: userId }),
    query: period,
    answer: dashboardData,
  },
  legacy: {
    method: 'GET',
    path: '/api/user/dashboard',
    access: 'user',
    summary: 'Retrieve your usage of the last eight days by day and model, with the field names of existing clients',
    answer: z.array(legacyDay),
  },
});
