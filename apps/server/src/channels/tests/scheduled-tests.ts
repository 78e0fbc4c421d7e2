/**
 * Tests that nobody asks for: of each chosen channel the test model, those first that were tested longest ago. Where the
 * vendor answers something for nothing, that is asked; a paid request follows where that fails, and where only it can
 * bring a channel back. What a result does to a channel is what it does after any other test and refusal.
 */
import { type channelTests, TESTS_MAX, type TestSchedule } from '@switchyard/contract/channels/channel-tests';
import type { FailureClass } from '@switchyard/contract/codes';
import { type ChannelId, channelId } from '@switchyard/contract/ids';
import type { RouteResponse } from '@switchyard/contract/route';
import { loadFacts } from '../../catalog/models/models.ts';
import type { Context } from '../../context.ts';
import { disableIfConfirmed, isHeldOut, meansUnusable } from '../registry/registry.ts';
import { checkOf } from './checks.ts';
import { bestFreeKind, isFree } from './free-checks.ts';
import { type MadeTest, makeTest } from './one-test.ts';
import { type PlannedChannel, type PlannedTest, planTests } from './plan-tests.ts';
import { beginRun, endRun, type RunCounts, recordRun, spentToday } from './run-lease.ts';
import { expectedUsage, loadTestCosts, MICRO_USD_PER_POINT, type TestCosts } from './test-cost.ts';

const CHANNELS_AT_ONCE = 4;
const RUN_MS_MAX = 60 * 60_000;
const MONTH_MINUTES = 30 * 24 * 60;
const MONTH_DAYS = 30;

/** Failures of requests that the vendor accepted. */
const answeredProblems: ReadonlySet<FailureClass> = new Set([
  'timeout',
  'empty-answer',
  'not-json',
  'wrong-answer',
]);

type Chosen = Pick<TestSchedule, 'channels' | 'tag' | 'prefers_free'>;

export async function estimateSchedule(
  ctx: Context,
  schedule: TestSchedule,
): Promise<RouteResponse<(typeof channelTests)['estimateSchedule']>> {
  const costs = await loadTestCosts(ctx);
  const expect = await expectedCosts(ctx, costs);
  const planned = await planSchedule(ctx, schedule, await chosenChannels(ctx, schedule));
  const runCap = capOf(schedule.run_cap);
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
    month_micro_usd: Math.min(Math.round(run * runs), capOf(schedule.day_cap) * MONTH_DAYS),
  };
}

/**
 * Runs the scheduled tests if they are due; meant to be called often. A run ends early when the setting is switched
 * off.
 * @param stopping ends the run early, too; the next one starts at its usual time
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
  const ends = await Promise.allSettled(Array.from({ length: CHANNELS_AT_ONCE }, work));
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
  const chosen: Chosen = {
    channels: settings.scheduledTestChannels,
    tag: settings.scheduledTestTag,
    prefers_free: settings.scheduledTestPrefersFree,
  };
  const isOut = chosen.channels === 'auto-disabled';
  const costs = await loadTestCosts(ctx);
  const expect = await expectedCosts(ctx, costs);
  const caps = [
    capOf(settings.scheduledTestRunCap),
    capOf(settings.scheduledTestDayCap) - (await spentToday(ctx)),
  ];
  const counts: RunCounts = { passed: 0, failed: 0, left_out: 0, cost_micro_usd: 0 };
  /** Expected cost of the running tests, which must fit into the caps as well. */
  let expected = 0;
  const fits = (cost: number | null): boolean =>
    Math.min(...caps) === Number.POSITIVE_INFINITY ||
    (cost !== null && counts.cost_micro_usd + expected + cost <= Math.min(...caps));

  let turn: Promise<unknown> = Promise.resolve();
  /** Whoever waits longest gets what the caps leave, however long the database takes for each. */
  const inTurn = <T>(plan: () => Promise<T>): Promise<T> => {
    const planned = turn.then(plan);
    turn = planned.catch(() => {});
    return planned;
  };
  const askOne = async (
    channel: PlannedChannel,
    test: PlannedTest,
  ): Promise<MadeTest | 'left-out' | undefined> => {
    const cost = expect(channel, test);
    if (!isFree(test.kind) && !fits(cost)) return 'left-out';
    expected += cost ?? 0;
    try {
      const made = await makeTest(ctx, channel, test, { costs, byHand: false }, signal);
      if (made !== undefined) counts.cost_micro_usd += made.result.cost_micro_usd ?? unsaidCost(made, cost);
      return made;
    } finally {
      expected -= cost ?? 0;
    }
  };

  return {
    counts,
    waiting: await chosenChannels(ctx, chosen),
    async test(next) {
      // It may have been changed, switched off or deleted since the run began.
      const [channel] = await inTurn(async () =>
        planSchedule(ctx, chosen, await chosenChannels(ctx, chosen, next)),
      );
      if (channel === undefined || (isOut && (await isHeldOut(ctx, next)))) return;
      let last: MadeTest | 'left-out' | undefined;
      for (const test of channel.tests) {
        const made = await askOne(channel, test);
        // What no cheap request tests says nothing; what was asked for nothing before it does.
        if (last === undefined || !saysNothing(made)) last = made;
        if (last === undefined || last === 'left-out' || last.result.outcome === 'passed') break;
      }
      if (last === undefined) return;
      if (last === 'left-out' || saysNothing(last)) counts.left_out += 1;
      else {
        counts[last.result.outcome === 'passed' ? 'passed' : 'failed'] += 1;
        if (!isOut && !signal.aborted) await takeOutIfConfirmed(ctx, channel, last);
      }
      await recordRun(ctx, id, counts);
    },
  };
}

function saysNothing(made: MadeTest | 'left-out' | undefined): boolean {
  return typeof made === 'object' && made.result.outcome === 'not-applicable';
}

/**
 * Returns the cost of a test whose response reported no usage: the vendor may charge for a response that came too late
 * or was empty.
 */
function unsaidCost({ result: { outcome, problem } }: MadeTest, expected: number | null): number {
  const isPaid = outcome === 'passed' || (problem !== null && answeredProblems.has(problem));
  return isPaid ? (expected ?? 0) : 0;
}

/** Disables the key by the rule of relayed requests: only if a second request confirms the refusal. */
async function takeOutIfConfirmed(
  ctx: Context,
  { id, channel }: PlannedChannel,
  { result, error }: MadeTest,
): Promise<void> {
  const [key] = channel?.keys ?? [];
  if (!ctx.settings.automaticDisableChannel || error === undefined || key === undefined) return;
  const isFatal = (failure: typeof error): boolean => meansUnusable(ctx.settings, failure);
  if (!isFatal(error)) return;
  await disableIfConfirmed(ctx, id, { keyId: key.id, model: result.model, error }, isFatal);
}

/** Micro-USD that a test is expected to cost; null where the model has no price. */
async function expectedCosts(
  ctx: Context,
  costs: TestCosts,
): Promise<(channel: PlannedChannel, test: PlannedTest) => number | null> {
  const factsOf = await loadFacts(ctx);
  return ({ channel }, { model, kind }) => {
    if (channel === undefined || isFree(kind)) return 0;
    const check = checkOf(kind, model, channel, factsOf, false);
    return 'request' in check ? costs.of(model, expectedUsage(kind, check.request)) : 0;
  };
}

/** Those that were tested longest ago first. @param only none but this one, if it is still chosen */
async function chosenChannels(
  ctx: Context,
  { channels, tag }: Chosen,
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
  { channels, prefers_free }: Chosen,
  ids: ChannelId[],
): Promise<PlannedChannel[]> {
  const planned = await planTests(ctx, { channels: { ids }, models: 'test-model', kinds: ['short'] });
  if (!prefers_free || channels === 'auto-disabled') return planned;
  return planned.map((one) => ({
    ...one,
    tests: one.tests.flatMap((test) => [...freeBefore(one, test), test]),
  }));
}

function freeBefore({ channel }: PlannedChannel, { model }: PlannedTest): PlannedTest[] {
  const kind = channel && bestFreeKind(model, channel);
  return kind === undefined ? [] : [{ model, kind }];
}

/** Micro-USD. */
function capOf(points: number): number {
  return points === 0 ? Number.POSITIVE_INFINITY : points * MICRO_USD_PER_POINT;
}
