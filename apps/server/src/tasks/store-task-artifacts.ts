/**
 * Copies finished artifacts from their vendors, which keep them for hours or days, into the operator's store. Pending
 * fetches are rows, so that a restart loses nothing; until a fetch is done, the artifact is served from its vendor.
 */
import { isAccountUrl, planArtifactRequest } from '@switchyard/relay';
import { sql } from 'kysely';
import {
  ArtifactRejectedError,
  computeArtifactExpiry,
  createFolderStore,
  expireOldestArtifacts,
  FOLDER_STORE,
  openArtifactStore,
  removeUnfinishedFiles,
  type StoredArtifact,
  writeArtifact,
} from '../artifacts/artifacts.ts';
import type { Context } from '../context.ts';
import type { Lease } from '../db/leases.ts';
import { nowSeconds } from '../platform/clock.ts';
import { DiskFullError } from '../platform/disk-space.ts';
import { REDIRECTS_MAX, resolveRedirect } from '../platform/outbound/outbound-fetch.ts';
import { startTableQueue } from '../platform/table-queue.ts';
import { abortWhenLate, abortWhenSilent } from '../platform/timeouts-and-intervals.ts';
import type { FindAccount } from './task-poller.ts';
import type { StoredStatusUpdate } from './task-store.ts';

/** Concurrent fetches into the folder and into buckets; the latter buffer parts of artifacts in memory. */
const FOLDER_SLOTS = 20;
const BUCKET_SLOTS = 4;
const FETCH_MS = 900_000;
const IDLE_MS = 60_000;
const requestHeaders = { 'accept-encoding': 'identity' };
/** Delays before retries; after the last one the artifact stays at its vendor. */
const RETRY_DELAYS_SECONDS = [15, 60, 300, 1_800, 7_200];
const LAST_RETRY_SECONDS = 7_200;

/**
 * Starts fetching artifacts, one at a time per queue, so that a hanging vendor doesn't delay the others. Returns a
 * function that stops it.
 */
export function startArtifactStorage(ctx: Context, findAccount: FindAccount): () => Promise<void> {
  const tidied = removeUnfinishedFiles(ctx.config.dataDir).catch((error: unknown) =>
    ctx.log.error({ err: error }, 'leftover files of artifacts could not be removed'),
  );
  const start = (into: 'folder' | 'bucket', slots: number) =>
    startTableQueue<ClaimedFetch>(ctx, {
      topic: 'works',
      slots,
      laneOf: ({ work }) => work.lane,
      claim: async (running) => {
        await tidied;
        return claimNextFetch(ctx, into, running);
      },
      attempt: ({ work, lease }, stop) =>
        storeArtifact(ctx, findAccount, work, AbortSignal.any([stop, lease.lost])).finally(() => lease.release()),
    });
  const stops = [start('folder', FOLDER_SLOTS), start('bucket', BUCKET_SLOTS)];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/**
 * Fetch with the lease of its queue, by which other nodes know of it: a fetch may take longer than the delay before
 * its retry.
 */
interface ClaimedFetch {
  work: StoredArtifact;
  lease: Lease;
}

async function claimNextFetch(
  ctx: Context,
  into: 'folder' | 'bucket',
  running: readonly string[],
): Promise<ClaimedFetch | undefined> {
  const busy = [...running];
  for (let due = await findFirstDue(ctx, into, busy); due !== undefined; due = await findFirstDue(ctx, into, busy)) {
    const [lease] = await ctx.leases.acquire([`works:${into}:${due.lane}`]);
    const work = lease && (await beginAttemptUnder(lease, ctx, due));
    if (lease !== undefined && work !== undefined) return { work, lease };
    busy.push(due.lane);
  }
  return undefined;
}

/** Keeps the lease only for a fetch that begins. */
async function beginAttemptUnder(lease: Lease, ctx: Context, due: DueArtifact): Promise<StoredArtifact | undefined> {
  let work: StoredArtifact | undefined;
  try {
    work = await beginAttempt(ctx, due);
    return work;
  } finally {
    if (work === undefined) await lease.release();
  }
}

type DueArtifact = Pick<StoredArtifact, 'id' | 'lane' | 'tries' | 'next_try_at'>;

function findFirstDue(
  { db, clock }: Context,
  into: 'folder' | 'bucket',
  busy: readonly string[],
): Promise<DueArtifact | undefined> {
  return (
    db.writer
      .selectFrom('stored_work')
      .select(['id', 'lane', 'tries', 'next_try_at'])
      // A literal instead of a parameter, so that the partial index is used.
      .where(sql<boolean>`state = 'waiting'`)
      .where('store', into === 'folder' ? '=' : '!=', FOLDER_STORE)
      .where('next_try_at', '<=', nowSeconds(clock))
      .where('lane', 'not in', busy)
      .orderBy('next_try_at')
      .limit(1)
      .executeTakeFirst()
  );
}

function beginAttempt(
  { db, clock }: Context,
  { id, tries, next_try_at }: DueArtifact,
): Promise<StoredArtifact | undefined> {
  return db.writer
    .updateTable('stored_work')
    .set({ next_try_at: nowSeconds(clock) + (RETRY_DELAYS_SECONDS[tries] ?? LAST_RETRY_SECONDS), tries: tries + 1 })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('next_try_at', '=', next_try_at)
    .returningAll()
    .executeTakeFirst();
}

async function storeArtifact(
  ctx: Context,
  findAccount: FindAccount,
  work: StoredArtifact,
  stop: AbortSignal,
): Promise<void> {
  let result: StoreResult;
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(FETCH_MS)]);
    result =
      work.task_id === null
        ? await moveToBucket(ctx, work, signal)
        : await fetchArtifact(ctx, findAccount, { ...work, task_id: work.task_id }, signal);
  } catch (error) {
    await (stop.aborted ? unclaimFetch(ctx, work) : recordFailure(ctx, work, error));
    return;
  }
  await recordStored(ctx, work, result);
}

type StoreResult = Awaited<ReturnType<typeof writeArtifact>>;

/**
 * Moves an artifact of a response from the folder to the bucket.
 * @throws when the bucket does not accept it
 */
async function moveToBucket(ctx: Context, work: StoredArtifact, signal: AbortSignal): Promise<StoreResult> {
  const range = { from: 0, to: work.bytes - 1 };
  return writeArtifact(ctx, work, await createFolderStore(ctx.config.dataDir).read(work.id, range, signal), signal);
}

/** @throws when the vendor does not return the artifact, or the store does not accept it */
async function fetchArtifact(
  ctx: Context,
  findAccount: FindAccount,
  work: StoredArtifact & { task_id: string },
  stop: AbortSignal,
): Promise<StoreResult> {
  const task = await ctx.db.writer
    .selectFrom('task')
    .select(['channel_id', 'channel_key_id', 'news'])
    .where('id', '=', work.task_id)
    .executeTakeFirst();
  const made = task && (JSON.parse(task.news) as StoredStatusUpdate).works[work.nth];
  if (task === undefined || made === undefined) throw new ArtifactRejectedError('Its task no longer exists');
  const { target, proxy } = await findAccount(task.channel_id, task.channel_key_id);
  const silence = new Error('The provider stopped sending');
  const call = planArtifactRequest(target, made);
  let url = call.url;
  // Credentials are not sent to a redirect's target.
  let headers: Record<string, string> = { ...call.headers, ...requestHeaders };
  for (let sentOn = 0; ; sentOn += 1) {
    const over = new AbortController();
    const signal = AbortSignal.any([stop, over.signal]);
    try {
      const ways = isAccountUrl(target, url) ? ctx.outbound : ctx.outbound.public;
      const opened = ways.open({ method: 'GET', url, headers, proxy, signal });
      const late = { timers: ctx.clock, controller: over, afterMs: IDLE_MS, reason: silence };
      const answer = await abortWhenLate(late, opened);
      if (answer.status === 200) return await writeArtifact(ctx, work, abortWhenSilent(late, answer.body), signal);
      const next = sentOn < REDIRECTS_MAX ? resolveRedirect(answer.status, answer.headers['location'], url) : undefined;
      if (next === undefined) throw new Error(`The provider returned status ${answer.status}`);
      url = next;
      headers = requestHeaders;
    } finally {
      over.abort();
    }
  }
}

async function recordStored(ctx: Context, work: StoredArtifact, { bytes, mediaType }: StoreResult): Promise<void> {
  const { numUpdatedRows } = await ctx.db.writer
    .updateTable('stored_work')
    .set({ state: 'kept', bytes, media_type: mediaType, expires_at: work.expires_at ?? computeArtifactExpiry(ctx) })
    .where('id', '=', work.id)
    .executeTakeFirst();
  // The task was removed during the fetch.
  if (numUpdatedRows === 0n) await openArtifactStore(ctx, work).remove(work.id);
  else if (work.store === FOLDER_STORE) await expireOldestArtifacts(ctx);
  if (work.task_id === null) await createFolderStore(ctx.config.dataDir).remove(work.id);
}

async function recordFailure(ctx: Context, work: StoredArtifact, error: unknown): Promise<void> {
  const { id, task_id: task, tries } = work;
  const isRefused = error instanceof ArtifactRejectedError || error instanceof DiskFullError;
  if (!isRefused && tries <= RETRY_DELAYS_SECONDS.length) {
    ctx.log.info({ err: error, task, tries }, 'an artifact could not be stored yet');
    return;
  }
  ctx.log.warn({ err: error, task, tries }, 'an artifact was not stored and stays where it is');
  await ctx.db.writer
    .updateTable('stored_work')
    .set(task === null ? { state: 'kept', store: FOLDER_STORE } : { state: 'failed' })
    .where('id', '=', id)
    .execute();
}

/** Undoes the claim of a fetch, which does not count as a try when the process stops. */
async function unclaimFetch({ db, clock }: Context, { id, tries }: StoredArtifact): Promise<void> {
  await db.writer
    .updateTable('stored_work')
    .set({ next_try_at: nowSeconds(clock), tries: tries - 1 })
    .where('id', '=', id)
    .execute();
}
