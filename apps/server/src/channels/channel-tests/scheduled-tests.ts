/**
 * Scheduled tests of the test model of each chosen channel, longest untested first. A free request is preferred; a
 * paid one follows if it fails, or if only a paid one can re-enable the channel. Results have the same effects as
 * those of other tests.
 */
import { type channelTests, TESTS_MAX, type TestSchedule } from '@switchyard/contract/channels/channel-tests';
import { type ChannelId, channelId } from '@switchyard/contract/ids';
import type { RouteResponse } from '@switchyard/contract/route';
import type { FailureClass } from '@switchyard/contract/wire-enums';
import { loadModelMetadata } from '../../catalog/models/models.ts';
import type { Context } from '../../context.ts';
import { disableIfConfirmed, isUnusableAccountError, mustStayDisabled } from '../registry/registry.ts';
import { isFree, selectBestFreeKind } from './free-probes.ts';
import {
  estimateUsage,
  loadTestCosts,
  MICRO_USD_PER_POINT,
  type PlannedChannel,
  type PlannedTest,
  planTests,
  type TestCosts,
} from './plan-tests-and-costs.ts';
import { createProbe } from './probes.ts';
import { type CompletedTest, runTest } from './run-test.ts';
import { beginRun, endRun, type RunCounts, readSpentToday, recordRun } from './scheduled-test-runs.ts';

const CHANNEL_CONCURRENCY = 4;
const RUN_MS_MAX = 60 * 60_000;
const MONTH_MINUTES = 30 * 24 * 60;
const MONTH_DAYS = 30;

/** Failures of requests that the vendor accepted. */
const answeredProblems: ReadonlySet<FailureClass> = new Set(['timeout', 'empty-answer', 'not-json', 'wrong-answer']);

type ScheduleSelection = Pick<TestSchedule, 'channels' | 'tag' | 'prefers_free'>;

export async function estimateSchedule(
  ctx: Context,
  schedule: TestSchedule,
): Promise<RouteResponse<(typeof channelTests)['estimateSchedule']>> {
  const costs = await loadTestCosts(ctx);
  const expect = await loadExpectedCosts(ctx, costs);
  const planned = await planSchedule(ctx, schedule, await findScheduledChannels(ctx, schedule));
  const runCap = toMicroUsd(schedule.run_cap);
  let [free, unpriced, run] = [0, 0, 0];
  for (const channel of planned) {
    const [first] = channel.tests;
    if (first === undefined) continue;
    if (isFree(first.kind)) free += 1;
    const cost = expect(channel, first);
    if (cost === null) unpriced += 1;
    else if (run + cost <= runCap) run += cost;
  }
  const runs = schedule.every_minutes === 0 ? 0 : MONTH_MINUTES / schedule.every_minutes;
  return {
    channels: planned.length,
    free,
    unpriced,
    run_micro_usd: run,
    month_micro_usd: Math.min(Math.round(run * runs), toMicroUsd(schedule.day_cap) * MONTH_DAYS),
  };
}

/**
 * Runs the scheduled tests if they are due; meant to be called often. A run ends early when the setting is disabled.
 * @param stopping also ends the run; the next one begins at its usual time
 */
export async function runScheduledTests(ctx: Context, stopping: AbortSignal): Promise<void> {
  const { scheduledTestMinutes: minutes } = ctx.settings;
  if (minutes === 0) return;
  const id = await beginRun(ctx, minutes);
  if (id === undefined) return;
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(RUN_MS_MAX)]);
  const run = await startRun(ctx, id, signal);
  const work = async (): Promise<void> => {
    while (!signal.aborted && ctx.settings.scheduledTestMinutes > 0) {
      const next = run.waiting.shift();
      if (next === undefined) return;
      await run.test(next);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: CHANNEL_CONCURRENCY }, work));
  await endRun(ctx, id, { ...run.counts, left_out: run.counts.left_out + run.waiting.length });
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

interface Run {
  waiting: ChannelId[];
  counts: RunCounts;
  test(id: ChannelId): Promise<void>;
}

async function startRun(ctx: Context, id: number, signal: AbortSignal): Promise<Run> {
  const { settings } = ctx;
  const chosen: ScheduleSelection = {
    channels: settings.scheduledTestChannels,
    tag: settings.scheduledTestTag,
    prefers_free: settings.scheduledTestPrefersFree,
  };
  const isOut = chosen.channels === 'auto-disabled';
  const costs = await loadTestCosts(ctx);
  const expect = await loadExpectedCosts(ctx, costs);
  const caps = [
    toMicroUsd(settings.scheduledTestRunCap),
    toMicroUsd(settings.scheduledTestDayCap) - (await readSpentToday(ctx)),
  ];
  const counts: RunCounts = { passed: 0, failed: 0, left_out: 0, cost_micro_usd: 0 };
  /** Expected cost of the running tests, which must also fit into the caps. */
  let expected = 0;
  const fits = (cost: number | null): boolean =>
    Math.min(...caps) === Number.POSITIVE_INFINITY ||
    (cost !== null && counts.cost_micro_usd + expected + cost <= Math.min(...caps));

  let turn: Promise<unknown> = Promise.resolve();
  /**
   * Plans tests one at a time, so that the longest-untested channel gets what the caps leave, however long its
   * queries take.
   */
  const runExclusive = <T>(plan: () => Promise<T>): Promise<T> => {
    const planned = turn.then(plan);
    turn = planned.catch(() => {});
    return planned;
  };
  const runOne = async (
    channel: PlannedChannel,
    test: PlannedTest,
  ): Promise<CompletedTest | 'left-out' | undefined> => {
    const cost = expect(channel, test);
    if (!isFree(test.kind) && !fits(cost)) return 'left-out';
    expected += cost ?? 0;
    try {
      const completed = await runTest(ctx, channel, test, { costs, byHand: false }, signal);
      if (completed !== undefined)
        counts.cost_micro_usd += completed.result.cost_micro_usd ?? estimateUnreportedCost(completed, cost);
      return completed;
    } finally {
      expected -= cost ?? 0;
    }
  };

  return {
    counts,
    waiting: await findScheduledChannels(ctx, chosen),
    async test(next) {
      // The channel may have been changed, disabled or deleted since the run began.
      const [channel] = await runExclusive(async () =>
        planSchedule(ctx, chosen, await findScheduledChannels(ctx, chosen, next)),
      );
      if (channel === undefined || (isOut && (await mustStayDisabled(ctx, next)))) return;
      let last: CompletedTest | 'left-out' | undefined;
      for (const test of channel.tests) {
        const completed = await runOne(channel, test);
        // An inconclusive test must not replace the result of an earlier free one.
        if (last === undefined || !isInconclusive(completed)) last = completed;
        if (last === undefined || last === 'left-out' || last.result.outcome === 'passed') break;
      }
      if (last === undefined) return;
      if (last === 'left-out' || isInconclusive(last)) counts.left_out += 1;
      else {
        counts[last.result.outcome === 'passed' ? 'passed' : 'failed'] += 1;
        if (!isOut && !signal.aborted) await disableKeyIfConfirmed(ctx, channel, last);
      }
      await recordRun(ctx, id, counts);
    },
  };
}

function isInconclusive(completed: CompletedTest | 'left-out' | undefined): boolean {
  return typeof completed === 'object' && completed.result.outcome === 'not-applicable';
}

/**
 * Returns the cost of a test whose response reported no usage: the vendor may charge for a response that came too late
 * or was empty.
 */
function estimateUnreportedCost({ result: { outcome, problem } }: CompletedTest, expected: number | null): number {
  const isPaid = outcome === 'passed' || (problem !== null && answeredProblems.has(problem));
  return isPaid ? (expected ?? 0) : 0;
}

/** Disables the key by the rule of relayed requests: only if a second request confirms the refusal. */
async function disableKeyIfConfirmed(
  ctx: Context,
  { id, channel }: PlannedChannel,
  { result, error }: CompletedTest,
): Promise<void> {
  const [key] = channel?.keys ?? [];
  if (!ctx.settings.automaticDisableChannel || error === undefined || key === undefined) return;
  const isFatal = (failure: typeof error): boolean => isUnusableAccountError(ctx.settings, failure);
  if (!isFatal(error)) return;
  await disableIfConfirmed(ctx, id, { keyId: key.id, model: result.model, error }, isFatal);
}

/** Returns a function that estimates the cost of a test in micro-USD; null if the model has no price. */
async function loadExpectedCosts(
  ctx: Context,
  costs: TestCosts,
): Promise<(channel: PlannedChannel, test: PlannedTest) => number | null> {
  const factsOf = await loadModelMetadata(ctx);
  return ({ channel }, { model, kind }) => {
    if (channel === undefined || isFree(kind)) return 0;
    const check = createProbe(kind, model, channel, factsOf, false);
    return 'request' in check ? costs.compute(model, estimateUsage(kind, check.request)) : 0;
  };
}

/** Finds the channels of a schedule, longest untested first. @param only restricts the result to this one */
async function findScheduledChannels(
  ctx: Context,
  { channels, tag }: ScheduleSelection,
  only?: ChannelId,
): Promise<ChannelId[]> {
  const all = ctx.db.writer.selectFrom('channel');
  const rows = await (only === undefined ? all : all.where('channel.id', '=', only))
    .leftJoin('channel_test', 'channel_test.channel_id', 'channel.id')
    .select('channel.id')
    .where('channel.deleted_time', 'is', null)
    .where('channel.status', '=', channels === 'auto-disabled' ? 'auto-disabled' : 'enabled')
    .$if(channels === 'tag', (query) => query.where('channel.tag', '=', tag).where('channel.tag', '<>', ''))
    .groupBy('channel.id')
    .orderBy((eb) => eb.fn.coalesce(eb.fn.max('channel_test.tested_at'), eb.lit(0)))
    .orderBy('channel.id')
    .limit(TESTS_MAX)
    .execute();
  return rows.map(({ id }) => channelId.parse(id));
}

/** Plans the tests of each channel, which run one after another until one passes. */
async function planSchedule(
  ctx: Context,
  { channels, prefers_free }: ScheduleSelection,
  ids: ChannelId[],
): Promise<PlannedChannel[]> {
  const planned = await planTests(ctx, { channels: { ids }, models: 'test-model', kinds: ['short'] });
  if (!prefers_free || channels === 'auto-disabled') return planned;
  return planned.map((one) => ({ ...one, tests: one.tests.flatMap((test) => [...planFreeTests(one, test), test]) }));
}

function planFreeTests({ channel }: PlannedChannel, { model }: PlannedTest): PlannedTest[] {
  const kind = channel && selectBestFreeKind(model, channel);
  return kind === undefined ? [] : [{ model, kind }];
}

/** Returns micro-USD; 0 points mean no limit. */
function toMicroUsd(points: number): number {
  return points === 0 ? Number.POSITIVE_INFINITY : points * MICRO_USD_PER_POINT;
}
