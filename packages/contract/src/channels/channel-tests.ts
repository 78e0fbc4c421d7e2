/** Channel tests by model, and the routes of the history of channels and of the status page. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { channelId } from '../ids.ts';
import { testedChannels } from '../operations/setting-schemas.ts';
import { LARGE_BODY_BYTES, routes } from '../route.ts';
import { failureClass } from '../wire-enums.ts';
import { modelHistory, modelStatus } from './channel-health.ts';
import { channels } from './channels.ts';

/** Single short requests, non-streaming or streaming. */
export const quickProbes = ['short', 'stream'] as const;
/**
 * Tests that only the genuine model passes: a question with a known answer, a request that must be refused, an image, a
 * schema, a tool, a stream that arrives in several chunks with its usage, and its own name.
 */
export const deepProbes = ['answer', 'refusal', 'image', 'json', 'tool', 'pieces', 'identity'] as const;
/**
 * Free requests to vendors. They prove, in this order: the key may use the model; the key is valid; the key is valid
 * and the account has credit.
 */
export const freeProbes = ['token-count', 'model-list', 'balance'] as const;
export const testProbe = z.enum([...quickProbes, ...deepProbes, ...freeProbes]);
export type TestProbe = z.output<typeof testProbe>;

/** Maximum tests of a run; more are refused. */
export const TESTS_MAX = 2_000;

const { page: _page, size: _size, order: _order, ...listFilter } = channels.list.query.shape;

export const testPlan = z.object({
  /** Named channels, or the channels that a list's filter selects. */
  channels: z.union([
    z.object({ ids: z.array(channelId).min(1).max(1_000) }),
    z.object({ filter: z.object(listFilter) }),
  ]),
  /**
   * `all`: the models that each channel lists by their whole name. Named models are also tested where a channel does
   * not list them.
   */
  models: z.union([z.enum(['test-model', 'all']), z.array(z.string().min(1).max(128)).min(1).max(1_000)]),
  kinds: z.array(testProbe).min(1).max(testProbe.options.length),
});
export type TestPlan = z.output<typeof testPlan>;

/** Diagnostic of a test beyond a failed call: why the response is wrong, or why the test is inconclusive. */
export const testDiagnostic = z.object({
  code: z.enum([
    'one-piece',
    'no-usage',
    'other-text',
    'answers-for-nobody',
    'no-json',
    'not-the-schema',
    'no-tool-call',
    'wrong-tool-call',
    'other-model',
    'no-chat-model',
    'no-streaming',
    'maps-every-name',
    'no-pictures',
    'refuses-pictures',
    'no-schema',
    'no-tools',
    'names-no-model',
    'no-such-endpoint',
    'no-cheap-test',
    'other-endpoint',
  ]),
  /** Expected value; empty if the code says it all. The same holds for `said`. */
  wanted: z.string(),
  /** Value in the model's response, without secrets. */
  said: z.string(),
});
export type TestFinding = z.output<typeof testDiagnostic>;

export const storedTest = z.object({
  channel_id: channelId,
  model: z.string(),
  kind: testProbe,
  outcome: z.enum(['passed', 'failed', 'not-applicable']),
  /** Failure class of a failed test; null when it succeeded. */
  problem: failureClass.nullable(),
  /** Message of the vendor or the network, without secrets. */
  message: z.string(),
  finding: testDiagnostic.nullable(),
  tested_at: seconds,
  /** Milliseconds. */
  duration: z.int(),
  /** Milliseconds; null for a non-streaming response. */
  first_content_time: z.int().nullable(),
  /** Reported tokens; null if the response reported none. */
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  /** Cost by the list price; null if the model has none, or no usage was reported. */
  cost_micro_usd: z.int().nullable(),
});
export type StoredTest = z.output<typeof storedTest>;

const testEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('started'), channel_id: channelId, model: z.string(), kind: testProbe }),
  z.object({ event: z.literal('result'), result: storedTest }),
  /** Last event; a stream without it was cut. */
  z.object({ event: z.literal('end') }),
]);
export type TestEvent = z.output<typeof testEvent>;

/** Schedule of the tests, computed from the stored settings or from unsaved ones. */
export const testSchedule = z.object({
  /** 0: no schedule. */
  every_minutes: z.int().min(0),
  channels: testedChannels,
  tag: z.string().max(32),
  prefers_free: z.boolean(),
  /** Points; 0: no cap. */
  run_cap: z.int().min(0),
  day_cap: z.int().min(0),
});
export type TestSchedule = z.output<typeof testSchedule>;

/** Scheduled run of tests. */
const testRun = z.object({
  id: z.int(),
  started_at: seconds,
  /** Null while the run lasts, and after a crash. */
  ended_at: seconds.nullable(),
  is_running: z.boolean(),
  /** Number of channels; so is `failed`. */
  passed: z.int(),
  failed: z.int(),
  /**
   * Number of channels left out because of a cap, because the model has no price that could be capped, or because no
   * cheap request tests it.
   */
  left_out: z.int(),
  /** Cost by the list price. */
  cost_micro_usd: z.int(),
});
export type TestRun = z.output<typeof testRun>;

export const channelTests = routes({
  run: {
    method: 'POST',
    path: '/api/channel/tests',
    access: 'channels.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Test channels with models and stream each result; stops when the client disconnects; not billed',
    body: testPlan,
    answer: testEvent,
    events: true,
  },
  estimate: {
    method: 'POST',
    path: '/api/channel/tests/estimate',
    access: 'channels.read',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Estimate the number of requests of such tests and their cost at list price',
    body: testPlan,
    answer: z.object({
      requests: z.int(),
      /** Cost of the models that have a price. */
      cost_micro_usd: z.int(),
      /** Requests to models without a price. */
      unpriced: z.int(),
    }),
  },
  estimateSchedule: {
    method: 'POST',
    path: '/api/channel/tests/schedule/estimate',
    access: 'channels.read',
    summary: 'Estimate the requests of a test schedule and their cost at list price, per run and for 30 days',
    body: testSchedule,
    answer: z.object({
      channels: z.int(),
      /** Channels that are tested with the vendor's free requests first. */
      free: z.int(),
      /** Channels whose test model has no price; a cap leaves them out. */
      unpriced: z.int(),
      /** Cost of a run, at most the cap; the cap also limits `month_micro_usd`. */
      run_micro_usd: z.int(),
      month_micro_usd: z.int(),
    }),
  },
  runs: {
    method: 'GET',
    path: '/api/channel/tests/runs',
    access: 'channels.read',
    summary: 'List the last runs of scheduled tests, newest first',
    answer: z.array(testRun),
  },
  results: {
    method: 'GET',
    path: '/api/channel/:id/tests',
    access: 'channels.read',
    summary: 'List the last result of each kind of test, for each model of a channel',
    params: z.object({ id: channelId }),
    answer: z.array(storedTest),
  },
  history: {
    method: 'GET',
    path: '/api/channel/:id/history',
    access: 'channels.read',
    summary: 'Retrieve the request statistics of a channel by model, for 24 hours and 30 days',
    params: z.object({ id: channelId }),
    answer: z.array(modelHistory),
  },
  statusPage: {
    method: 'GET',
    path: '/api/status_page',
    access: 'anyone',
    summary:
      'Retrieve the status page: request statistics of public models by hour and day, if the operator publishes it',
    answer: z.object({
      /** Start of the first day, and of the first hour. */
      first_day: seconds,
      first_hour: seconds,
      models: z.array(modelStatus),
    }),
  },
});
