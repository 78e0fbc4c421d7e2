/** Tests of channels × models: planned, estimated, run concurrently, and stored. */
import {
  type channelTests,
  type StoredTest,
  type TestEvent,
  type TestPlan,
  testDiagnostic,
} from '@switchyard/contract/channels/channel-tests';
import type { ChannelId } from '@switchyard/contract/ids';
import type { RouteResponse } from '@switchyard/contract/route';
import { loadModelMetadata } from '../../catalog/models/models.ts';
import type { Context } from '../../context.ts';
import { isFree } from './free-probes.ts';
import {
  estimateUsage,
  loadTestCosts,
  type PlannedChannel,
  planTests,
  type TestCosts,
} from './plan-tests-and-costs.ts';
import { createProbe } from './probes.ts';
import { runTest } from './run-test.ts';

export { removeOldTests } from './scheduled-test-runs.ts';
export { runScheduledTests } from './scheduled-tests.ts';

/** One test at a time per channel, so that tests do not hit the vendor's rate limit. */
const CHANNEL_CONCURRENCY = 8;

/** @throws AppError `too-large` */
export async function estimateTests(
  ctx: Context,
  plan: TestPlan,
): Promise<RouteResponse<(typeof channelTests)['estimate']>> {
  const costs = await loadTestCosts(ctx);
  const factsOf = await loadModelMetadata(ctx);
  const estimate = { requests: 0, cost_micro_usd: 0, unpriced: 0 };
  for (const { channel, tests } of await planTests(ctx, plan))
    for (const { model, kind } of tests) {
      const check = channel === undefined ? undefined : createProbe(kind, model, channel, factsOf, true);
      if (check === undefined || 'finding' in check) continue;
      estimate.requests += 1;
      if (isFree(kind) || 'run' in check) continue;
      const cost = costs.compute(model, estimateUsage(kind, check.request));
      if (cost === null) estimate.unpriced += 1;
      else if (kind !== 'refusal') estimate.cost_micro_usd += cost;
    }
  return estimate;
}

/**
 * Runs the tests of a plan. The run stops when the events are no longer read, or the signal aborts; the running tests
 * then store no result.
 * @throws AppError `too-large`
 */
export async function startTests(ctx: Context, plan: TestPlan, signal: AbortSignal): Promise<AsyncIterable<TestEvent>> {
  return runTests(ctx, await planTests(ctx, plan), await loadTestCosts(ctx), signal);
}

async function* runTests(
  ctx: Context,
  planned: readonly PlannedChannel[],
  costs: TestCosts,
  gone: AbortSignal,
): AsyncGenerator<TestEvent> {
  const stop = new AbortController();
  const signal = AbortSignal.any([gone, stop.signal]);
  const queue = createEventQueue<TestEvent>();
  const waiting = [...planned];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      for (const test of next.tests) {
        if (signal.aborted) return;
        queue.push({ event: 'started', channel_id: next.id as ChannelId, ...test });
        const completed = await runTest(ctx, next, test, { costs, byHand: true }, signal);
        if (completed !== undefined) queue.push({ event: 'result', result: completed.result });
      }
  };
  const done = Promise.all(Array.from({ length: CHANNEL_CONCURRENCY }, work)).then(
    () => queue.end(),
    (error: unknown) => queue.fail(error),
  );
  try {
    yield* queue.events();
    if (!signal.aborted) yield { event: 'end' };
  } finally {
    stop.abort();
    await done;
  }
}

/** Returns the last result of each kind of test, by model. */
export async function listTestResults(ctx: Context, id: number): Promise<StoredTest[]> {
  const rows = await ctx.db.writer
    .selectFrom('channel_test')
    .selectAll()
    .where('channel_id', '=', id)
    .orderBy('model')
    .orderBy('kind')
    .execute();
  return rows.map(({ finding, ...row }) => ({
    ...row,
    channel_id: row.channel_id as ChannelId,
    finding: finding === null ? null : testDiagnostic.parse(JSON.parse(finding)),
  }));
}

/** Queue of events from concurrent producers for one reader. */
interface EventQueue<T> {
  push(event: T): void;
  end(): void;
  fail(error: unknown): void;
  /**
   * Yields the events in their order of arrival, until the end.
   * @throws the error of the queue
   */
  events(): AsyncGenerator<T, void>;
}

function createEventQueue<T>(): EventQueue<T> {
  const waiting: T[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = (): void => {};
  const finish = (end: { error?: unknown }): void => {
    ended ??= end;
    wake();
  };
  return {
    push(event) {
      waiting.push(event);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    async *events() {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
        if (ended !== undefined) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if ('error' in ended) throw ended.error;
    },
  };
}
