/**
 * Polls vendors' tasks until they succeed, and are charged, or fail, and their hold is released. All state is in
 * rows, so that a restart loses nothing; a hold ends once, however often it is ended. Each channel has its own queue,
 * so that a hanging one doesn't block the others.
 */

import {
  chargeWithoutArtifact,
  getPollLimits,
  measureArtifacts,
  planTaskPoll,
  readTaskUpdates,
  type Target,
  type TaskUpdate,
  UpstreamError,
} from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { AppError } from '../platform/http/app-error.ts';
import { HELD_PER_BYTE, LARGE_ANSWER_BYTES, type MemoryHold } from '../platform/outbound/outbound.ts';
import { startRepeating } from '../platform/timeouts-and-intervals.ts';
import { endTask, type TaskResult } from './task-end.ts';
import {
  claimDueTasks,
  createStatusWriter,
  findNextPollTime,
  type OpenTask,
  type StoredStatusUpdate,
  scheduleCallback,
  type TaskChange,
  type TaskRow,
} from './task-store.ts';
import { truncateStatusUpdate } from './truncate-status-update.ts';

/** Account at a vendor, ready to be called. */
export interface TaskAccount {
  target: Target;
  /** Empty for none. */
  proxy: string;
}

/** Returns the status update as the content policy allows it; a refused one becomes a failure. */
export type ModerateTask = (task: Pick<TaskRow, 'user_id' | 'upstream_format' | 'id'>, news: TaskUpdate) => TaskUpdate;

/** Runs synchronous work that takes long for a user so that other requests are not delayed. */
export type RunPaced = <T>(userId: number, work: () => T) => Promise<T>;

/** Opens a user's share of the memory for responses. `grow` throws when there is no room. */
export type OpenMemory = (userId: number | undefined) => MemoryHold;

/** @throws when the channel or its key is gone */
export type FindAccount = (channelId: number, keyId: string) => Promise<TaskAccount>;

const TICK_MS = 1_000;
const DUE_MAX = 1_000;
/** A task that another node has claimed may be due sooner than its row states. */
const IDLE_MAX_SECONDS = 2;
const POLL_TIMEOUT_MS = 20_000;
/** Characters of a response that is read within a few milliseconds. */
const LONG_CHARACTERS = 262_144;
/** Characters of status updates that are checked against word lists and compared within a few milliseconds. */
const LONG_UPDATE_CHARACTERS = 32_768;
/**
 * Consecutive polls after which the engine accepts that a vendor does not know a task or returned no artifact, and
 * stops waiting for a deleted account. They take at most 45 minutes, as `claimDueTasks` spaces them.
 */
const FAILED_POLLS_MAX = 10;
/** Time past a task's deadline in which an outage does not end it: its vendor may have finished it. */
const OUTAGE_SECONDS = 2_700;
/** Responses of a vendor that say nothing about its tasks. */
const outageKinds: ReadonlySet<string> = new Set(['unreachable', 'overloaded', 'rate-limited']);
/**
 * Consecutive failed polls after which a task is polled alone: a vendor may refuse a poll of many because of one of
 * them, and the others must not fail with it.
 */
const FAILED_POLLS_TOGETHER_MAX = 3;

export interface TaskEngine {
  close(): Promise<void>;
}

export interface TaskEngineParts {
  findAccount: FindAccount;
  moderateTask: ModerateTask;
  runPaced: RunPaced;
  openMemory: OpenMemory;
}

export function startTaskEngine(ctx: Context, parts: TaskEngineParts): TaskEngine {
  const callQueues = new Map<number, CallQueue>();
  const stop = new AbortController();
  const write = createStatusWriter(ctx, stop.signal);
  const asking: PollContext = { ...parts, ctx, write, stop: stop.signal };
  /** `elapsed()` milliseconds before which no task is due; the rows are not queried until then. */
  let idleUntil = 0;

  const claim = async (): Promise<void> => {
    const now = nowSeconds(ctx.clock);
    if (ctx.clock.elapsed() < idleUntil) return;
    const busy = [...callQueues].filter(([, lane]) => lane.isBusy).map(([id]) => id);
    const tasks = await claimDueTasks(ctx, now, busy, DUE_MAX);
    if (tasks.length === 0) {
      const seconds = Math.min(((await findNextPollTime(ctx)) ?? Infinity) - now, IDLE_MAX_SECONDS);
      idleUntil = ctx.clock.elapsed() + seconds * 1_000;
    }
    for (const questions of groupIntoPolls(tasks)) {
      const [first] = questions;
      if (first === undefined) continue;
      const lane = callQueues.get(first.channel_id) ?? new CallQueue();
      callQueues.set(first.channel_id, lane);
      lane.run(() => pollTasks(asking, questions));
    }
  };
  const looks = startRepeating(ctx.clock, TICK_MS, claim, (error) =>
    ctx.log.error({ err: error }, 'the tasks that are due could not be read'),
  );

  return {
    async close() {
      await looks.stop();
      stop.abort();
      await Promise.all([...callQueues.values()].map((lane) => lane.waitUntilIdle()));
    },
  };
}

/** Groups tasks of one account and action into polls of the size that the vendor allows. Failing ones stay alone. */
function groupIntoPolls(tasks: readonly OpenTask[]): OpenTask[][] {
  const alike = Map.groupBy(tasks, ({ id, channel_id, channel_key_id, upstream_format, action, failed_looks }) =>
    failed_looks < FAILED_POLLS_TOGETHER_MAX ? [channel_id, channel_key_id, upstream_format, action].join(' ') : id,
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    const most = first === undefined ? 1 : getPollLimits(first.upstream_format).tasksPerPoll;
    return Array.from({ length: Math.ceil(group.length / most) }, (_, nth) =>
      group.slice(nth * most, (nth + 1) * most),
    );
  });
}

interface PollContext extends TaskEngineParts {
  ctx: Context;
  write: ReturnType<typeof createStatusWriter>;
  stop: AbortSignal;
}

/** Never rejects. */
async function pollTasks(asking: PollContext, tasks: readonly OpenTask[]): Promise<void> {
  const { ctx, stop, openMemory } = asking;
  if (stop.aborted) return;
  // A poll of several users’ tasks counts for none of them: a full share would keep the others from being updated.
  const memory = openMemory(tasks.length === 1 ? tasks[0]?.user_id : undefined);
  let hasRoom = true;
  const count = (bytes: number): void => {
    hasRoom = false;
    // Throws, and so ends the poll, when there is no room.
    memory.grow(HELD_PER_BYTE * bytes);
    hasRoom = true;
  };
  try {
    const answer = await fetchStatusUpdates(asking, tasks, count).catch(
      (error: unknown): StatusUpdates => ({ updates: [], characters: 0, error }),
    );
    memory.release();
    if (stop.aborted) return;
    const now = nowSeconds(ctx.clock);
    // Without memory for the response, the tasks are polled again when they are next due.
    if (!hasRoom && tasks.every(({ deadline_at }) => now < deadline_at + OUTAGE_SECONDS)) return;
    await applyStatusUpdates(asking, tasks, answer);
  } catch (error) {
    ctx.log.error({ err: error, channel_id: tasks[0]?.channel_id }, 'status updates of tasks could not be stored');
  }
}

interface StatusUpdates {
  updates: readonly TaskUpdate[];
  /** Characters of the vendor's response. */
  characters: number;
  /** Set if the poll failed. */
  error?: unknown;
}

/**
 * Reads the status updates, truncated to what is stored. Each step of a long response has a turn of the event loop.
 * @param count reserves memory for a part of the response
 */
async function fetchStatusUpdates(
  { ctx, findAccount, runPaced, stop }: PollContext,
  tasks: readonly OpenTask[],
  count: (bytes: number) => void,
): Promise<StatusUpdates> {
  const [first] = tasks;
  if (first === undefined) return { updates: [], characters: 0 };
  const { channel_id, channel_key_id, upstream_format: format, action } = first;
  const { target, proxy } = await findAccount(channel_id, channel_key_id);
  const ids = tasks.map(({ upstream_id }) => upstream_id);
  const call = planTaskPoll(format, target, ids, action);
  const answer = await ctx.outbound.fetchJson({
    ...call,
    proxy,
    timeoutMs: POLL_TIMEOUT_MS,
    signal: stop,
    // Some vendors send images and videos within the status.
    maxBytes: LARGE_ANSWER_BYTES,
    count,
  });
  const characters = answer.text.length;
  const isLong = characters >= LONG_CHARACTERS;
  const run = <T>(work: () => T): Promise<T> | T => (isLong ? runPaced(first.user_id, work) : work());
  const updates = await run(() => readTaskUpdates(format, target, ids, answer));
  const truncated: TaskUpdate[] = [];
  for (const update of updates) truncated.push(await run(() => truncateStatusUpdate(update)));
  return { updates: truncated, characters };
}

async function applyStatusUpdates(
  asking: PollContext,
  tasks: readonly OpenTask[],
  { updates, characters, error }: StatusUpdates,
): Promise<void> {
  const { ctx, write, runPaced } = asking;
  const news = new Map(updates.map((one) => [one.id, one]));
  const outcomes: PollOutcome[] = [];
  let read = characters;
  for (const task of tasks) {
    const readOne = (): PollOutcome => safelyReadOutcome(asking, task, news.get(task.upstream_id), error);
    read += task.news.length;
    outcomes.push(read < LONG_UPDATE_CHARACTERS ? readOne() : await runPaced(task.user_id, readOne));
  }
  const ends = tasks.map((task, nth) => {
    const end = outcomes[nth]?.end;
    return end === undefined ? undefined : endTask(ctx, task.id, end);
  });
  const written = write(outcomes.flatMap(({ change }) => (change === undefined ? [] : [change])));
  // A task whose end cannot be written must not prevent the others' writes.
  const failed = (await Promise.allSettled([...ends, written])).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Result of one poll: the end of a task, or a change of its row. */
interface PollOutcome {
  end?: TaskResult;
  change?: TaskChange;
}

/** Returns the outcome of a status update, or of a missing one if it is invalid. Never throws. */
function safelyReadOutcome(
  { ctx, moderateTask }: PollContext,
  task: OpenTask,
  update: TaskUpdate | undefined,
  answer: unknown,
): PollOutcome {
  const now = nowSeconds(ctx.clock);
  try {
    return deriveOutcome(task, update && moderateTask(task, update), answer, now);
  } catch (error) {
    ctx.log.warn({ err: error, task: task.id }, 'the status update of a task could not be read');
    return deriveOutcome(task, undefined, undefined, now);
  }
}

function deriveOutcome(task: OpenTask, news: TaskUpdate | undefined, answer: unknown, now: number): PollOutcome {
  const costs = news?.status === 'succeeded' ? getBilling(task, news) : undefined;
  if (news !== undefined && costs !== undefined)
    return { end: { made: { ...news, billing: costs }, news: serializeStatusUpdate(news) } };
  const isInVain = news === undefined || news.status === 'succeeded';
  const failure = isInVain ? getAbandonReason(task, news, answer) : getFailure(news);
  if (failure !== undefined || (now >= task.deadline_at && !isOutage(task, news, answer, now))) {
    const isBilled = news?.isBilled === true || isBilledError(answer);
    return { end: endUnfinished(task, news, failure ?? 'The task did not finish in time.', isBilled) };
  }
  if (isInVain) return { change: [task.id, { failed_looks: task.failed_looks + 1 }] };
  const change = toOpenTaskChange(task, news, now);
  return change === undefined ? {} : { change };
}

/** Returns whether a failed poll past the deadline is no reason to end the task yet. */
function isOutage(
  { failed_looks, deadline_at }: OpenTask,
  news: TaskUpdate | undefined,
  answer: unknown,
  now: number,
): boolean {
  if (news !== undefined || !(answer instanceof Error) || isChannelGone(answer)) return false;
  if (answer instanceof UpstreamError && !outageKinds.has(answer.kind)) return false;
  return failed_looks + 1 < FAILED_POLLS_MAX || now < deadline_at + OUTAGE_SECONDS;
}

/** Ends a task without the vendor's success: paid if its owner has already seen finished artifacts, else failed. */
function endUnfinished(task: OpenTask, news: TaskUpdate | undefined, failure: string, isBilled: boolean): TaskResult {
  const before = JSON.parse(task.news) as StoredStatusUpdate;
  for (const { said, works } of [news ?? before, before]) {
    const finished = works.filter(({ isFinished }) => isFinished === true);
    if (finished.length === 0) continue;
    const made = { usage: measureArtifacts(finished), billing: 'paid' as const };
    return { made, news: JSON.stringify({ works: finished, said } satisfies StoredStatusUpdate) };
  }
  return { failure, isBilled, ...(news === undefined ? {} : { news: serializeStatusUpdate(news) }) };
}

function isChannelGone(answer: unknown): boolean {
  return answer instanceof AppError && answer.code === 'not-found';
}

/** Returns whether the vendor reports instead of a status that the task failed, and that it bills it. */
function isBilledError(answer: unknown): answer is UpstreamError {
  return answer instanceof UpstreamError && answer.billing === 'result';
}

function getFailure({ status, failure }: TaskUpdate): string | undefined {
  return status === 'failed' ? (failure ?? 'The provider could not complete the task.') : undefined;
}

/** Returns undefined when an artifact may still come: some vendors report success first and the address later. */
function getBilling(
  { upstream_format, action, news }: OpenTask,
  { works }: Pick<TaskUpdate, 'works'>,
): 'paid' | 'free' | undefined {
  if (works.length > 0) return 'paid';
  return chargeWithoutArtifact(upstream_format, action, (JSON.parse(news) as StoredStatusUpdate).said);
}

function getAbandonReason(
  { failed_looks }: OpenTask,
  news: TaskUpdate | undefined,
  answer: unknown,
): string | undefined {
  if (isBilledError(answer)) return answer.vendor?.message ?? answer.message;
  if (failed_looks + 1 < FAILED_POLLS_MAX) return undefined;
  if (news !== undefined) return 'The provider reported success but returned no result.';
  if (isChannelGone(answer)) return 'The channel of this task, or its key, was deleted.';
  const isUnknown = answer instanceof UpstreamError && answer.kind === 'rejected';
  return isUnknown ? `The provider no longer knows this task: ${answer.message}` : undefined;
}

function toOpenTaskChange(task: OpenTask, news: TaskUpdate, now: number): TaskChange | undefined {
  const status = task.status === 'running' ? 'running' : news.status;
  const progress = Math.max(task.progress, news.progress ?? 0);
  const stored = serializeStatusUpdate(news);
  const isSame =
    status === task.status && progress === task.progress && task.failed_looks === 0 && stored === task.news;
  if (isSame) return undefined;
  const began = status === 'running' && task.status !== 'running' ? { started_at: now } : {};
  const hasChanged = status !== task.status || progress !== task.progress;
  const callback = hasChanged ? scheduleCallback(task, now) : undefined;
  return [task.id, { status, progress, news: stored, failed_looks: 0, ...began, ...callback }];
}

/** Serializes a status update for storage: at most about 300,000 characters. */
export function serializeStatusUpdate(news: TaskUpdate): string {
  const { works, said } = truncateStatusUpdate(news);
  return JSON.stringify({ works, said } satisfies StoredStatusUpdate);
}

const CONCURRENT_CALLS = 4;

/** Queue of calls to one peer with limited concurrency, so that a hanging call doesn't block the others. */
class CallQueue {
  readonly #running = new Set<Promise<void>>();
  #waiting: (() => Promise<void>)[] = [];

  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#running.size >= CONCURRENT_CALLS;
  }

  /** @param call never rejects */
  run(call: () => Promise<void>): void {
    this.#waiting.push(call);
    this.#next();
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.race(this.#running);
  }

  #next(): void {
    while (this.#running.size < CONCURRENT_CALLS) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      const running = call().finally(() => {
        this.#running.delete(running);
        this.#next();
      });
      this.#running.add(running);
    }
  }
}
