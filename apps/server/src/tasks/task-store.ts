/** Rows of tasks. */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { TaskUpdate } from '@switchyard/relay';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { StoredArtifact } from '../artifacts/artifacts.ts';
import type { Context } from '../context.ts';
import type { Database } from '../db/open-database.ts';
import { selectByteSize, takeChunk } from '../db/process-in-chunks.ts';
import { nowSeconds, sleep } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';
import type { TaskTable } from './table.ts';

export type TaskRow = Selectable<TaskTable>;

/** Stored part of a vendor's status update. */
export type StoredStatusUpdate = Pick<TaskUpdate, 'works' | 'said'> & {
  /** Ids of stored artifacts, by the index of the artifact within the task. */
  stored?: Readonly<Record<number, string>>;
};

/** Columns needed to poll a vendor. */
export type OpenTask = Pick<
  TaskRow,
  | 'id'
  | 'user_id'
  | 'channel_id'
  | 'channel_key_id'
  | 'upstream_format'
  | 'upstream_id'
  | 'action'
  | 'status'
  | 'progress'
  | 'news'
  | 'notify_url'
  | 'deadline_at'
  | 'failed_looks'
>;

const openColumns = [
  'id',
  'user_id',
  'channel_id',
  'channel_key_id',
  'upstream_format',
  'upstream_id',
  'action',
  'status',
  'progress',
  'news',
  'notify_url',
  'deadline_at',
  'failed_looks',
] as const satisfies readonly (keyof OpenTask)[];

const DAY_SECONDS = 86_400;
/** The wait before the next poll is this percentage of the task's age, within these bounds in seconds. */
const WAIT_PERCENT = 15;
const WAIT_MIN_SECONDS = 3;
const WAIT_MAX_SECONDS = 90;
/** Upper bound while polls fail. */
const FAILED_WAIT_MAX_SECONDS = 300;

/** Rows per statement: both databases limit the number of parameters. */
const ROWS_PER_STATEMENT = 100;
/** Tasks that are updated while the transactions of all nodes wait. */
const UPDATES_PER_TRANSACTION = 20;
/** Size of the status updates that are claimed at once, and held until their vendors have answered; others stay due. */
const CLAIMED_BYTES_MAX = 16_777_216;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns an unguessable id, because some artifacts are public to anyone with the id. */
export function newTaskId(prefix: string): string {
  return prefix + [...randomBytes(26)].map((byte) => ALPHABET[byte & 31]).join('');
}

/**
 * Inserts a task within the transaction that makes its hold lasting.
 * @returns the id of the owner's existing task, if the vendor returned the same id for two submissions
 */
export async function insertTask(trx: Transaction<Schema>, task: TaskRow): Promise<string | undefined> {
  const inserted = await trx
    .insertInto('task')
    .values(task)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'channel_id', 'upstream_id']).where('ended_at', 'is', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  if (inserted !== undefined) return undefined;
  const { id } = await trx
    .selectFrom('task')
    .select('id')
    .where('user_id', '=', task.user_id)
    .where('channel_id', '=', task.channel_id)
    .where('upstream_id', '=', task.upstream_id)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns whether a task has its row. Needed when a transaction is repeated because its commit is uncertain. */
export async function isTaskStored(trx: Transaction<Schema>, id: string): Promise<boolean> {
  const row = await trx.selectFrom('task').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** @returns undefined also for another user's task */
export function findTask({ db }: Pick<Context, 'db'>, userId: number, id: string): Promise<TaskRow | undefined> {
  return db.writer.selectFrom('task').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();
}

/** Returns the requests of a user's open tasks, at most `most`. @param except task that does not count */
export async function listOpenTaskRequests(
  db: Kysely<Schema>,
  userId: number,
  most: number,
  except = '',
): Promise<string[]> {
  const open = await db
    .selectFrom('task')
    .select('request_id')
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    // Local tasks have no vendor and do not count.
    .where('channel_id', '!=', 0)
    .where('id', '!=', except)
    .limit(most)
    .execute();
  return open.map((task) => task.request_id);
}

/** Finds the task that a request of the user submitted within the last day. */
export function findTaskByRequest(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: number,
  requestId: string,
): Promise<TaskRow | undefined> {
  return db.writer
    .selectFrom('task')
    .selectAll()
    .where('user_id', '=', userId)
    .where('created_at', '>=', nowSeconds(clock) - DAY_SECONDS)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
}

/**
 * Claims due tasks, each once: the time of the next poll is stored before this one begins, so that no other process
 * polls as well, and no task is forgotten if this process dies.
 * @param busy channels whose queues are full
 */
export async function claimDueTasks(
  { db }: Pick<Context, 'db'>,
  now: number,
  busy: readonly number[],
  most: number,
): Promise<OpenTask[]> {
  const tasks: OpenTask[] = [];
  let bytes = 0;
  while (tasks.length < most && bytes < CLAIMED_BYTES_MAX) {
    const sizes = await selectDue(db, now, busy, Math.min(ROWS_PER_STATEMENT, most - tasks.length))
      .select(selectByteSize('news'))
      .execute();
    const chunk = takeChunk(sizes);
    const claimed = chunk.length === 0 ? [] : await claimTogether(db, now, busy, chunk.length);
    if (claimed.length === 0) break;
    tasks.push(...claimed);
    for (const { news } of claimed) bytes += news.length;
    await setImmediate();
  }
  return tasks;
}

function selectDue({ writer }: Pick<Database, 'writer'>, now: number, busy: readonly number[], most: number) {
  return writer
    .selectFrom('task')
    .where('ended_at', 'is', null)
    .where('next_look_at', '<=', now)
    .$if(busy.length > 0, (query) => query.where('channel_id', 'not in', busy))
    .orderBy('next_look_at')
    .limit(most);
}

/** Claims the first due tasks that no other process is claiming. */
function claimTogether(db: Database, now: number, busy: readonly number[], most: number): Promise<OpenTask[]> {
  const usual = sql`max(${WAIT_MIN_SECONDS}, min(${WAIT_MAX_SECONDS}, (${now} - created_at) * ${WAIT_PERCENT} / 100))`;
  // A common table expression, because PostgreSQL may run a subquery several times, and claim more than its limit.
  const next = selectDue(db, now, busy, most)
    .select('id')
    .$if(db.engine.kind === 'postgres', (query) => query.forUpdate().skipLocked());
  return (
    db.writer
      .with('next', () => next)
      .updateTable('task')
      .set({
        next_look_at: sql`${now} + min(${FAILED_WAIT_MAX_SECONDS}, ${usual} * (1 << cast(min(failed_looks, 8) as integer)))`,
      })
      .where('id', 'in', (eb) => eb.selectFrom('next').select('id'))
      .where('ended_at', 'is', null)
      // Checked again, because a concurrent node may have changed the row while this statement waited for it.
      .where('next_look_at', '<=', now)
      .returning(openColumns)
      .execute()
  );
}

/** Returns the earliest due time of a poll; undefined without open tasks. */
export async function findNextPollTime({ db }: Pick<Context, 'db'>): Promise<number | undefined> {
  const row = await db.writer
    .selectFrom('task')
    .select('next_look_at')
    .where('ended_at', 'is', null)
    .orderBy('next_look_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_look_at;
}

/** Returns the columns to write with each change that the client must be called about. */
export function scheduleCallback(
  { notify_url }: Pick<TaskRow, 'notify_url'>,
  now: number,
): Pick<TaskRow, 'notify_at' | 'notify_tries'> | undefined {
  return notify_url === '' ? undefined : { notify_at: now, notify_tries: 0 };
}

/** Change of a task; the artifacts are those to store when the change ends it. */
export type TaskChange = readonly [id: string, values: Partial<TaskRow>, toStore?: readonly StoredArtifact[]];

/**
 * Updates open tasks. Ignores ended ones; for a task whose owner was deleted, only the number of failed polls is
 * written.
 */
export async function updateOpenTasks(
  ctx: Pick<Context, 'db' | 'changes'>,
  changes: readonly TaskChange[],
): Promise<void> {
  const sized = changes.map((change) => ({ change, bytes: change[1].news?.length ?? 0 }));
  for (let first = 0; first < sized.length; ) {
    if (first > 0) await setImmediate();
    const chunk = takeChunk(sized.slice(first, first + UPDATES_PER_TRANSACTION));
    const together = chunk.map(({ change }) => change);
    await updateTogether(ctx, together);
    first += chunk.length;
  }
  if (changes.some(([, { notify_at }]) => notify_at !== undefined)) await ctx.changes.publish({ topic: 'tasks' });
}

async function updateTogether({ db }: Pick<Context, 'db'>, changes: readonly TaskChange[]): Promise<void> {
  await db.writer.transaction().execute(async (trx) => {
    for (const [id, values, toStore = []] of changes) {
      const { numUpdatedRows } = await trx
        .updateTable('task')
        .set(values)
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .where(hasOwner)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) await updateOrphanedTask(trx, id, values);
      else await insertStoredArtifacts(trx, toStore);
    }
  });
}

async function insertStoredArtifacts(trx: Transaction<Schema>, works: readonly StoredArtifact[]): Promise<void> {
  for (let first = 0; first < works.length; first += ROWS_PER_STATEMENT)
    await trx
      .insertInto('stored_work')
      .values(works.slice(first, first + ROWS_PER_STATEMENT))
      .execute();
}

/** Updates a task without an owner, which is only polled until its cost is known, and then deleted. */
async function updateOrphanedTask(
  trx: Transaction<Schema>,
  id: string,
  { ended_at, failed_looks }: Partial<TaskRow>,
): Promise<void> {
  if (ended_at !== undefined) await trx.deleteFrom('task').where('id', '=', id).where('ended_at', 'is', null).execute();
  else if (failed_looks !== undefined)
    await trx.updateTable('task').set({ failed_looks }).where('id', '=', id).where('ended_at', 'is', null).execute();
}

/** Matches tasks whose owner still exists. */
const hasOwner = sql<boolean>`exists (select 1 from "user" where "user".id = task.user_id and "user".deleted_time is null)`;

/** Milliseconds for which status updates of vendors are collected into one commit. */
const BATCH_MS = 50;

/**
 * Creates a writer that collects changes for 50 ms and commits them together.
 * @param stop makes the writer commit at once
 * @returns the writer; its promise resolves when the changes are committed
 */
export function createStatusWriter(ctx: Context, stop: AbortSignal): (changes: readonly TaskChange[]) => Promise<void> {
  let gathered: TaskChange[] = [];
  let written: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    await sleep(ctx.clock, BATCH_MS, stop).catch(() => undefined);
    const changes = gathered;
    gathered = [];
    written = undefined;
    await updateOpenTasks(ctx, changes);
  };
  return (changes) => {
    if (changes.length === 0) return Promise.resolve();
    gathered.push(...changes);
    written ??= writeAll();
    return written;
  };
}
