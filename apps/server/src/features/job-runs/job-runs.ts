/** Runs jobs at fixed intervals, each one at a time, and knows how they went. */
import type { JobName, Job as JobState } from '@switchyard/contract/system-info';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { hideSecretsInText } from '../../platform/hide-secrets.ts';
import type { JobRunTable } from './table.ts';

export interface Job {
  name: JobName;
  everyMs: number;
  /** Runs once at the start, too. */
  atStart?: boolean;
  /** @param stopping what would go on for long is to end then */
  run(ctx: Context, stopping: AbortSignal): Promise<void>;
}

interface Scheduled {
  job: Job;
  /** UTC seconds. */
  nextAt: number;
  running: Promise<void> | undefined;
  /** Undefined: none has ended in this process. */
  last: JobRunTable | undefined;
  /** The row of the table, if this process wrote it. */
  written: JobRunTable | undefined;
  start(): void;
}

/** A job that goes well every ten seconds is not worth as many commits. */
const WRITE_AGAIN_SECONDS = 60;
const MESSAGE_LENGTH_MAX = 300;

/** Of each server of this process. */
const schedules = new WeakMap<Context, ReadonlyMap<JobName, Scheduled>>();

/** Starts the jobs. Returns what stops them; it waits for those that run. */
export function startSchedule(ctx: Context, jobs: readonly Job[]): () => Promise<void> {
  const stopping = new AbortController();
  const all = jobs.map((job) => schedule(ctx, job, stopping.signal));
  schedules.set(ctx, new Map(all.map((scheduled) => [scheduled.job.name, scheduled])));
  const timers = all.map((scheduled) => {
    const { everyMs, atStart } = scheduled.job;
    const planNext = (): void => {
      scheduled.nextAt = nowSeconds(ctx.clock) + Math.round(everyMs / 1000);
    };
    planNext();
    if (atStart === true) scheduled.start();
    return setInterval(() => {
      planNext();
      scheduled.start();
    }, everyMs).unref();
  });
  return async () => {
    for (const timer of timers) clearInterval(timer);
    stopping.abort();
    await Promise.all(all.flatMap(({ running }) => (running === undefined ? [] : [running])));
  };
}

function schedule(ctx: Context, job: Job, stopping: AbortSignal): Scheduled {
  const scheduled: Scheduled = {
    job,
    nextAt: 0,
    running: undefined,
    last: undefined,
    written: undefined,
    start() {
      if (scheduled.running !== undefined || stopping.aborted) return;
      scheduled.running = runOnce(ctx, scheduled, stopping)
        .catch((error: unknown) =>
          ctx.log.error({ err: error, job: job.name }, 'how a job went could not be noted'),
        )
        .finally(() => {
          scheduled.running = undefined;
        });
    },
  };
  return scheduled;
}

async function runOnce(ctx: Context, scheduled: Scheduled, stopping: AbortSignal): Promise<void> {
  const { job } = scheduled;
  const startedAt = nowSeconds(ctx.clock);
  const begun = performance.now();
  let message = '';
  try {
    await job.run(ctx, stopping);
  } catch (error) {
    ctx.log.error({ err: error, job: job.name }, 'a job failed');
    message = reasonOf(error);
  }
  scheduled.last = {
    name: job.name,
    last_started: startedAt,
    last_ended: nowSeconds(ctx.clock),
    duration_ms: Math.round(performance.now() - begun),
    outcome: message === '' ? 'ok' : 'failed',
    message,
  };
  count(ctx, scheduled.last);
  await write(ctx, scheduled, scheduled.last);
}

function count({ metrics }: Context, { name, outcome, last_ended, duration_ms }: JobRunTable): void {
  metrics.jobRuns.add([name, outcome]);
  metrics.jobFailing.set([name], outcome === 'ok' ? 0 : 1);
  metrics.jobDuration.set([name], duration_ms / 1000);
  if (outcome === 'ok') metrics.jobSuccess.set([name], last_ended);
}

async function write(ctx: Context, scheduled: Scheduled, run: JobRunTable): Promise<void> {
  const { written } = scheduled;
  const isNews = run.outcome === 'failed' || written?.outcome !== run.outcome;
  if (!isNews && run.last_ended - written.last_ended < WRITE_AGAIN_SECONDS) return;
  scheduled.written = run;
  await ctx.db.writer
    .insertInto('job_run')
    .values(run)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(run))
    .execute();
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return hideSecretsInText(message || 'It failed without a reason').slice(0, MESSAGE_LENGTH_MAX);
}

export async function listJobs(ctx: Context): Promise<JobState[]> {
  const rows = new Map((await storedRuns(ctx)).map((row) => [row.name, row]));
  return scheduledOf(ctx).map((scheduled) => present(scheduled, rows.get(scheduled.job.name)));
}

/** Those whose last run failed. */
export async function failedJobs(ctx: Context): Promise<JobState[]> {
  return (await listJobs(ctx)).filter(({ last }) => last?.outcome === 'failed');
}

/** Starts a job, and does not wait for its end. @throws AppError `conflict` while it runs */
export function runJobNow(ctx: Context, name: JobName): JobState {
  const scheduled = scheduledOf(ctx).find(({ job }) => job.name === name);
  if (scheduled === undefined) throw new AppError('unavailable', 'Jobs have not begun yet');
  if (scheduled.running !== undefined) throw new AppError('conflict', 'This job is running');
  scheduled.start();
  return present(scheduled, undefined);
}

function scheduledOf(ctx: Context): Scheduled[] {
  return [...(schedules.get(ctx)?.values() ?? [])];
}

function storedRuns(ctx: Context): Promise<JobRunTable[]> {
  return ctx.db.writer.selectFrom('job_run').selectAll().execute();
}

function present({ job, nextAt, running, last }: Scheduled, stored: JobRunTable | undefined): JobState {
  const shown = last ?? stored;
  return {
    name: job.name,
    every: Math.round(job.everyMs / 1000),
    running: running !== undefined,
    last:
      shown === undefined
        ? null
        : {
            started_at: shown.last_started,
            duration: shown.duration_ms,
            outcome: shown.outcome,
            message: shown.message,
          },
    next_at: nextAt,
  };
}
