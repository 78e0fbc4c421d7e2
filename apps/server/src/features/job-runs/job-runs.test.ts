import { systemInfo } from '@switchyard/contract/system-info';
import { expect, test, vi } from 'vitest';
import { useTestApp } from '../../testing/use-test-app.ts';
import { failedJobs, type Job, listJobs, runJobNow, startSchedule } from './job-runs.ts';

const app = await useTestApp({ now: Date.UTC(2026, 0, 10, 12) });
const HOUR_MS = 3_600_000;

/** Not run by the server of this file itself, which would write down its own run of it. */
const JOB = 'remove-old-sessions';

/** A schedule of one job, on the server of this file. */
function schedule(run: Job['run'], everyMs = HOUR_MS) {
  const ctx = { ...app.ctx };
  const stop = startSchedule(ctx, [{ name: JOB, everyMs, run }]);
  const last = async () => (await listJobs(ctx))[0]?.last;
  return { ctx, stop, last };
}

const rows = () => app.ctx.db.writer.selectFrom('job_run').selectAll().where('name', '=', JOB).execute();

test('the server’s own jobs are listed with their intervals', async () => {
  const root = await app.createUser('root');
  const jobs = await root.api(systemInfo).jobs();
  expect(jobs.length).toBeGreaterThan(15);
  expect(jobs.find(({ name }) => name === 'check-books')).toMatchObject({ every: 3_600 });
});

test('a job that fails says why, without secrets, and goes on at its next turn', async () => {
  const { ctx, stop, last } = schedule(() => Promise.reject(new Error('no answer to sk-0123456789abcdef')));
  expect(runJobNow(ctx, JOB)).toMatchObject({ running: true });
  await vi.waitFor(async () => expect(await last()).toMatchObject({ outcome: 'failed' }));
  expect(await last()).toMatchObject({ message: 'no answer to sk-[redacted]' });
  expect(await failedJobs(ctx)).toHaveLength(1);
  await vi.waitFor(async () =>
    expect(await rows()).toMatchObject([{ outcome: 'failed', message: 'no answer to sk-[redacted]' }]),
  );
  await stop();
});

test('what is running is not started twice', async () => {
  let end = (): void => {};
  let runs = 0;
  const { ctx, stop, last } = schedule(() => {
    runs += 1;
    return new Promise((resolve) => (end = resolve));
  });
  runJobNow(ctx, JOB);
  expect(() => runJobNow(ctx, JOB)).toThrow('This job is running');
  end();
  await vi.waitFor(async () => expect(await last()).toMatchObject({ outcome: 'ok', message: '' }));
  expect(runs).toBe(1);
  await stop();
});

test('a job that goes well again and again is written once a minute, and its failure at once', async () => {
  let fails = false;
  const { ctx, stop } = schedule(() => (fails ? Promise.reject(new Error('down')) : Promise.resolve()));
  const run = async (): Promise<void> => {
    runJobNow(ctx, JOB);
    await vi.waitFor(async () => expect((await listJobs(ctx))[0]?.running).toBe(false));
  };
  const writtenAt = async () => (await rows())[0]?.last_started;
  await run();
  const first = await writtenAt();
  app.clock.advance(10);
  await run();
  expect(await writtenAt()).toBe(first);
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
  let aborted = false;
  const { ctx, stop } = schedule(
    (_ctx, stopping) =>
      new Promise((resolve) =>
        stopping.addEventListener('abort', () => {
          aborted = true;
          resolve();
        }),
      ),
  );
  runJobNow(ctx, JOB);
  await stop();
  expect(aborted).toBe(true);
  expect(runJobNow(ctx, JOB)).toMatchObject({ running: false });
});
