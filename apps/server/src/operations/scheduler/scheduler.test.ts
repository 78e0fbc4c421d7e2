import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceWhile } from '../../testing/advance-until.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { type FeatureNodes, startFeatureNodes } from '../../testing/start-nodes.ts';
import { failedJobs, type Job, listJobs, runJobNow, startSchedule } from './scheduler.ts';

const app = await useFeatureApp([], { now: Date.UTC(2026, 0, 10, 12) });
const HOUR_MS = 3_600_000;
const SOON = { timeout: 60_000, interval: 10 };

const JOB = 'remove-old-sessions';

/** A schedule of one job, on the server of this file. */
function schedule(run: Job['run'], everyMs = HOUR_MS) {
  const ctx = { ...app.ctx };
  const stop = startSchedule(ctx, [{ name: JOB, everyMs, run }]);
  const last = async () => (await listJobs(ctx))[0]?.last;
  return { ctx, stop, last };
}

const rows = () => app.ctx.db.writer.selectFrom('job_run').selectAll().where('name', '=', JOB).execute();

test('a failed job shows its error without secrets, and runs again at its next time', async () => {
  const { ctx, stop, last } = schedule(() => Promise.reject(new Error('no answer to sk-0123456789abcdef')));
  expect(await runJobNow(ctx, JOB)).toMatchObject({ running: true });
  await vi.waitFor(async () => expect(await last()).toMatchObject({ outcome: 'failed' }), SOON);
  expect(await last()).toMatchObject({ message: 'no answer to sk-[redacted]' });
  expect(await failedJobs(ctx)).toHaveLength(1);
  await vi.waitFor(
    async () => expect(await rows()).toMatchObject([{ outcome: 'failed', message: 'no answer to sk-[redacted]' }]),
    SOON,
  );
  await stop();
});

test('a job that does not end delays the shutdown for a moment only', async () => {
  let end: (() => void) | undefined;
  const { ctx, stop } = schedule(() => new Promise((resolve) => (end = resolve)));
  await runJobNow(ctx, JOB);
  await expect.poll(() => end, SOON).toBeDefined();
  const before = app.clock.elapsed();
  await advanceWhile(app.clock, 0.5, stop());
  expect(app.clock.elapsed() - before).toBeGreaterThanOrEqual(2_000);
  expect((await listJobs(ctx))[0]?.running).toBe(true);
  // On PostgreSQL the job holds a lease until it ends.
  end?.();
  await expect.poll(async () => (await listJobs(ctx))[0]?.running, SOON).toBe(false);
});

test('a running job is not started twice', async () => {
  let end = (): void => {};
  let runs = 0;
  const { ctx, stop, last } = schedule(() => {
    runs += 1;
    return new Promise((resolve) => (end = resolve));
  });
  await runJobNow(ctx, JOB);
  await expect(runJobNow(ctx, JOB)).rejects.toThrow('This job is already running');
  await expect.poll(() => runs, SOON).toBe(1);
  end();
  await vi.waitFor(async () => expect(await last()).toMatchObject({ outcome: 'ok', message: '' }), SOON);
  expect(runs).toBe(1);
  await stop();
});

test('repeated successes of a job are written once a minute, and a failure at once', async () => {
  let fails = false;
  const { ctx, stop } = schedule(() => (fails ? Promise.reject(new Error('down')) : Promise.resolve()));
  const run = async (): Promise<void> => {
    await runJobNow(ctx, JOB);
    await vi.waitFor(async () => expect((await listJobs(ctx))[0]?.running).toBe(false), SOON);
  };
  const writtenAt = async () => (await rows())[0]?.last_started;
  await run();
  const first = await writtenAt();
  app.clock.advance(10);
  await run();
  // Writes of another node meanwhile are not known.
  expect(await writtenAt()).toBe(ctx.leases.isShared ? (first ?? 0) + 10 : first);
  app.clock.advance(60);
  await run();
  expect(await writtenAt()).toBe((first ?? 0) + 70);
  fails = true;
  await run();
  expect(await rows()).toMatchObject([{ outcome: 'failed', message: 'down' }]);
  await stop();
});

test('the last result outlives a restart', async () => {
  const { last, stop } = schedule(() => Promise.resolve());
  expect(await last()).toMatchObject({ outcome: 'failed', message: 'down' });
  await stop();
});

test('nothing starts after the end, and the end waits for what runs', async () => {
  let [hasStarted, aborted] = [false, false];
  const { ctx, stop } = schedule(
    (_ctx, stopping) =>
      new Promise((resolve) => {
        hasStarted = true;
        stopping.addEventListener('abort', () => {
          aborted = true;
          resolve();
        });
      }),
  );
  await runJobNow(ctx, JOB);
  await expect.poll(() => hasStarted, SOON).toBe(true);
  await stop();
  expect(aborted).toBe(true);
  expect(await runJobNow(ctx, JOB)).toMatchObject({ running: false });
});

test('a job that its server broke off has not failed', async () => {
  await app.ctx.db.writer.deleteFrom('job_run').where('name', '=', JOB).execute();
  let hasStarted = false;
  const { ctx, stop } = schedule((_ctx, stopping) => {
    hasStarted = true;
    return new Promise((_, reject) => stopping.addEventListener('abort', () => reject(stopping.reason)));
  });
  await runJobNow(ctx, JOB);
  await expect.poll(() => hasStarted, SOON).toBe(true);
  await stop();
  expect(await rows()).toEqual([]);
});

describe('of two nodes on one database', () => {
  let nodes: FeatureNodes | undefined;

  beforeAll(async () => {
    nodes = await startFeatureNodes([]);
  });
  beforeEach((context) => {
    if (nodes === undefined) context.skip('PostgreSQL is not installed here');
  });
  afterAll(() => nodes?.close());

  /** The same job on both nodes; it runs until it is stopped. */
  function onBoth() {
    if (nodes === undefined) throw new Error('There is no PostgreSQL on this machine');
    const ends: { node: number; end: () => void; stopping: AbortSignal }[] = [];
    const schedules = [nodes.first, nodes.second].map(({ ctx: known }, node) => {
      const ctx = { ...known };
      const run: Job['run'] = (_ctx, stopping) => new Promise((resolve) => ends.push({ node, end: resolve, stopping }));
      return { ctx, stop: startSchedule(ctx, [{ name: JOB, everyMs: HOUR_MS, atStart: true, run }]) };
    });
    const rowOf = (ctx: (typeof schedules)[number]['ctx']) => listJobs(ctx).then(([row]) => row);
    return { ends, contexts: schedules.map(({ ctx }) => ctx), stops: schedules.map(({ stop }) => stop), rowOf };
  }

  test('a job runs on one node, is shown by both, and continues on the other when its node is gone', async () => {
    const { ends, contexts, stops, rowOf } = onBoth();
    const pass = (seconds: number) => {
      for (const node of [nodes?.first, nodes?.second]) node?.clock.advance(seconds);
    };
    pass(2);
    await vi.waitFor(() => expect(ends).toHaveLength(1), SOON);
    await vi.waitFor(async () => {
      for (const ctx of contexts) expect(await rowOf(ctx)).toMatchObject({ running: true });
    }, SOON);
    for (const ctx of contexts) await expect(runJobNow(ctx, JOB)).rejects.toThrow('This job is already running');

    // As after a node of which nothing was heard.
    await nodes?.first.ctx.db.writer
      .updateTable('lease')
      .set({ held_until: 0 })
      .where('name', '=', `job:${JOB}`)
      .execute();
    await vi.waitFor(() => {
      pass(5);
      expect(ends).toHaveLength(2);
    }, SOON);
    const [lost, next] = ends;
    expect(next?.node).not.toBe(lost?.node);
    await vi.waitFor(() => expect(lost?.stopping.aborted).toBe(true), SOON);
    for (const { end } of ends) end();
    await vi.waitFor(async () => {
      for (const ctx of contexts) expect(await rowOf(ctx)).toMatchObject({ running: false, last: { outcome: 'ok' } });
    }, SOON);
    const [row] = await Promise.all(contexts.map(rowOf));
    expect((row?.next_at ?? 0) - Date.now() / 1000).toBeGreaterThan(3_000);

    const [first] = contexts;
    if (first !== undefined) await runJobNow(first, JOB);
    await vi.waitFor(() => expect(ends).toHaveLength(3), SOON);
    ends.at(-1)?.end();
    await Promise.all(stops.map((stop) => stop()));
    expect(ends).toHaveLength(3);
  });
});
