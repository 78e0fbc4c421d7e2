/**
 * Runs jobs at fixed intervals, each one at a time, and records their results. Of several nodes each job runs on one,
 * which holds a lease on it until the next run is due.
 */
import type { JobName, Job as JobState } from '@switchyard/contract/operations/system-info';
import type { Context } from '../../context.ts';
import type { LeaseState } from '../../db/leases.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { redactText } from '../../platform/secrets/redact-secrets.ts';
import { startRepeating, waitAtMost } from '../../platform/timeouts-and-intervals.ts';
import type { JobRunTable } from './table.ts';

export interface Job {
  name: JobName;
  everyMs: number;
  /** True if the job also runs once, two seconds after the start. */
  atStart?: boolean;
  /** True if the job runs on every node, because it concerns the node's memory. */
  onEachNode?: boolean;
  /**
   * @param stopping aborts a long run
   * @param also `not due` for a run that was requested, whether or not there is work
   */
  run(ctx: Context, stopping: AbortSignal, also?: 'not due'): Promise<void>;
}

interface ScheduledJob {
  job: Job;
  /** True if the job runs on one of several nodes. */
  isShared: boolean;
  /** UTC seconds. */
  nextAt: number;
  running: Promise<void> | undefined;
  /** Undefined before its first end in this process. */
  last: JobRunTable | undefined;
  /** Row of the table, if this process wrote it. */
  persistedRun: JobRunTable | undefined;
  /** @param also `not due` to start early */
  start(also?: 'not due'): void;
}

/** Interval of unchanged results, so that a frequent job does not cause as many commits. */
const PERSIST_INTERVAL_SECONDS = 60;
const MESSAGE_LENGTH_MAX = 300;
/** Maximum wait at the shutdown for a job, which may wait for others: the ledger must still be closed. */
const STOP_MS = 2_000;
/** Delay of the jobs that run at the start, so that they do not slow the first requests. */
const START_MS = 2_000;
/** Milliseconds between a node's checks for due jobs, if other nodes may run them. */
const CHECK_MS = 5_000;
/** A job is due this much early, so that late checks do not delay it beyond its interval. */
const EARLY_MS = 1_000;

interface JobSchedule {
  jobs: readonly ScheduledJob[];
  /** Starts due jobs that another node might run. */
  startDueJobs(): Promise<void>;
}

/** Schedules of each server of this process. */
const schedules = new WeakMap<Context, JobSchedule>();

/** Starts the jobs. Returns a function that stops them and waits a moment for running ones. */
export function startSchedule(ctx: Context, jobs: readonly Job[]): () => Promise<void> {
  const stopping = new AbortController();
  const all = jobs.map((job) => scheduleJob(ctx, job, stopping.signal));
  const own = all.filter(({ isShared }) => !isShared);
  const timers = own.flatMap((scheduled) => {
    const { everyMs, atStart } = scheduled.job;
    planNext(ctx, scheduled);
    const interval = ctx.clock.every(everyMs, () => {
      planNext(ctx, scheduled);
      scheduled.start();
    });
    return atStart === true ? [interval, ctx.clock.after(START_MS, () => scheduled.start()).unref()] : [interval];
  });
  const shared = startSharedJobs(ctx, selectShared(all));
  schedules.set(ctx, { jobs: all, startDueJobs: () => shared.look() });
  return async () => {
    for (const timer of timers) timer.close();
    stopping.abort();
    await shared.stop();
    await waitAtMost(ctx.clock, STOP_MS, waitUntilEnded(all));
    const left = all.filter(({ running }) => running !== undefined).map(({ job }) => job.name);
    if (left.length > 0) ctx.log.warn({ jobs: left }, 'the shutdown does not wait for jobs that are still running');
  };
}

const selectShared = (all: readonly ScheduledJob[]): ScheduledJob[] => all.filter(({ isShared }) => isShared);

const leaseName = ({ job }: ScheduledJob): string => `job:${job.name}`;

function planNext({ clock }: Context, scheduled: ScheduledJob): void {
  scheduled.nextAt = nowSeconds(clock) + Math.round(scheduled.job.everyMs / 1000);
}

/**
 * Starts due jobs that run on no node. A job that does not run at the start waits for its first interval on this
 * node.
 */
function startSharedJobs(
  ctx: Context,
  shared: readonly ScheduledJob[],
): { look(): Promise<void>; stop(): Promise<void> } {
  const began = ctx.clock.elapsed();
  const look = async (): Promise<void> => {
    const states = await ctx.leases.readStates(shared.map(leaseName));
    for (const scheduled of shared) {
      const state = states.get(leaseName(scheduled));
      const { atStart, everyMs } = scheduled.job;
      const isEarly = atStart !== true && ctx.clock.elapsed() - began < everyMs - EARLY_MS;
      if (!isEarly && (state === undefined || (!state.isHeld && state.dueInMs === 0))) scheduled.start();
    }
  };
  const looks = startRepeating(ctx.clock, CHECK_MS, look, (error) =>
    ctx.log.error({ err: error }, 'the jobs that are due could not be read'),
  );
  const first = ctx.clock.after(START_MS, () => void looks.runNow()).unref();
  return {
    look: () => looks.runNow(),
    stop() {
      first.close();
      return looks.stop();
    },
  };
}

function scheduleJob(ctx: Context, job: Job, stopping: AbortSignal): ScheduledJob {
  const scheduled: ScheduledJob = {
    job,
    isShared: ctx.leases.isShared && job.onEachNode !== true,
    nextAt: 0,
    running: undefined,
    last: undefined,
    persistedRun: undefined,
    start(also) {
      if (scheduled.running !== undefined || stopping.aborted) return;
      scheduled.running = runUnderLease(ctx, scheduled, stopping, also)
        .catch((error: unknown) =>
          ctx.log.error({ err: error, job: job.name }, 'the outcome of a job could not be recorded'),
        )
        .finally(() => {
          scheduled.running = undefined;
        });
    },
  };
  return scheduled;
}

/** Runs a job, unless another node does. */
async function runUnderLease(
  ctx: Context,
  scheduled: ScheduledJob,
  stopping: AbortSignal,
  also?: 'not due',
): Promise<void> {
  if (!scheduled.isShared) return runAndRecord(ctx, scheduled, stopping, also);
  const [lease] = await ctx.leases.acquire([leaseName(scheduled)], also);
  if (lease === undefined) return;
  if (stopping.aborted) return lease.release();
  try {
    await runAndRecord(ctx, scheduled, AbortSignal.any([stopping, lease.lost]), also);
  } finally {
    await lease.release(scheduled.job.everyMs - EARLY_MS);
  }
}

async function runAndRecord(
  ctx: Context,
  scheduled: ScheduledJob,
  stopping: AbortSignal,
  also?: 'not due',
): Promise<void> {
  const { job } = scheduled;
  const startedAt = nowSeconds(ctx.clock);
  const begun = performance.now();
  let message = '';
  try {
    await job.run(ctx, stopping, also);
  } catch (error) {
    // The next node repeats it.
    if (stopping.aborted) return ctx.log.info({ job: job.name }, 'a job was interrupted');
    ctx.log.error({ err: error, job: job.name }, 'a job failed');
    message = describeFailure(error);
  }
  scheduled.last = {
    name: job.name,
    last_started: startedAt,
    last_ended: nowSeconds(ctx.clock),
    duration_ms: Math.round(performance.now() - begun),
    outcome: message === '' ? 'ok' : 'failed',
    message,
  };
  countRun(ctx, scheduled.last);
  await persistRun(ctx, scheduled, scheduled.last);
}

function countRun({ metrics }: Context, { name, outcome, last_ended, duration_ms }: JobRunTable): void {
  metrics.jobRuns.add([name, outcome]);
  metrics.jobFailing.set([name], outcome === 'ok' ? 0 : 1);
  metrics.jobDuration.set([name], duration_ms / 1000);
  if (outcome === 'ok') metrics.jobSuccess.set([name], last_ended);
}

async function persistRun(ctx: Context, scheduled: ScheduledJob, run: JobRunTable): Promise<void> {
  // Another node may have written the row meanwhile.
  const written = scheduled.isShared ? undefined : scheduled.persistedRun;
  const isNews = run.outcome === 'failed' || written?.outcome !== run.outcome;
  if (!isNews && run.last_ended - written.last_ended < PERSIST_INTERVAL_SECONDS) return;
  scheduled.persistedRun = run;
  await ctx.db.writer
    .insertInto('job_run')
    .values(run)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(run))
    .execute();
}

function describeFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return redactText(message || 'The job failed without an error message').slice(0, MESSAGE_LENGTH_MAX);
}

export async function listJobs(ctx: Context): Promise<JobState[]> {
  const rows = new Map((await readStoredRuns(ctx)).map((row) => [row.name, row]));
  const all = getScheduledJobs(ctx);
  const states = await ctx.leases.readStates(selectShared(all).map(leaseName));
  return all.map((scheduled) =>
    present(ctx, scheduled, rows.get(scheduled.job.name), states.get(leaseName(scheduled))),
  );
}

/** Lists the jobs whose last run failed. */
export async function failedJobs(ctx: Context): Promise<JobState[]> {
  return (await listJobs(ctx)).filter(({ last }) => last?.outcome === 'failed');
}

/** Starts a job without waiting for its end. @throws AppError `conflict` while it runs */
export async function runJobNow(ctx: Context, name: JobName): Promise<JobState> {
  const scheduled = getScheduledJobs(ctx).find(({ job }) => job.name === name);
  if (scheduled === undefined) throw new AppError('unavailable', 'The job scheduler has not started yet');
  const state = (await ctx.leases.readStates([leaseName(scheduled)])).get(leaseName(scheduled));
  if (scheduled.running !== undefined || state?.isHeld === true)
    throw new AppError('conflict', 'This job is already running');
  scheduled.start('not due');
  return present(ctx, scheduled, undefined, undefined);
}

/** Waits for the jobs that are due now, and for running ones. */
export async function waitForJobs(ctx: Context): Promise<void> {
  await schedules.get(ctx)?.startDueJobs();
  await waitUntilEnded(getScheduledJobs(ctx));
}

async function waitUntilEnded(jobs: readonly ScheduledJob[]): Promise<void> {
  await Promise.all(jobs.flatMap(({ running }) => running ?? []));
}

function getScheduledJobs(ctx: Context): readonly ScheduledJob[] {
  return schedules.get(ctx)?.jobs ?? [];
}

function readStoredRuns(ctx: Context): Promise<JobRunTable[]> {
  return ctx.db.writer.selectFrom('job_run').selectAll().execute();
}

function present(
  ctx: Context,
  { job, nextAt, running, last }: ScheduledJob,
  stored: JobRunTable | undefined,
  state: LeaseState | undefined,
): JobState {
  // Another node may have run it since.
  const shown = last === undefined || (stored?.last_ended ?? 0) > last.last_ended ? stored : last;
  return {
    name: job.name,
    every: Math.round(job.everyMs / 1000),
    running: running !== undefined || state?.isHeld === true,
    last:
      shown === undefined
        ? null
        : {
            started_at: shown.last_started,
            duration: shown.duration_ms,
            outcome: shown.outcome,
            message: shown.message,
          },
    next_at: nextAt > 0 ? nextAt : nowSeconds(ctx.clock) + Math.ceil((state?.dueInMs ?? 0) / 1000),
  };
}
