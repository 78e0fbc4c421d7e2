/**
 * Stores responses of the Responses API for the configured time, so that a conversation can continue from a response
 * id on any channel. Each belongs to a user; for others it does not exist.
 */
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Database } from '../db/open-database.ts';
import { matchesAnyKey, processRowsInChunks, selectByteSize } from '../db/process-in-chunks.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';

type StoreContext = Pick<Context, 'db' | 'clock' | 'settings'>;

export interface StoredResponse {
  id: string;
  previousId: string | undefined;
  channelId: number | undefined;
  /** Key of the channel whose account has the response. */
  keyId?: string | undefined;
  input: readonly unknown[];
  response: Record<string, unknown>;
}

/** Maximum number of bytes of one response and its input; larger ones are not stored. */
export const STORED_BYTES_MAX = 4 * 1_048_576;
/**
 * Maximum number of bytes of a background response, without its input. Its client has paid for it and can receive it in
 * no other way, so that it may be larger than others: this is enough for several images.
 */
export const BACKGROUND_BYTES_MAX = 16 * 1_048_576;
/** Maximum number of bytes stored for a user; the oldest responses are deleted first. */
const USER_BYTES_MAX = 128 * 1_048_576;
/** Approximate maximum number of responses stored for a user. */
const USER_RESPONSES_MAX = 10_000;
/** Bytes after which the limits are checked on average, because the check reads all responses of a user. */
const EVICTION_CHECK_BYTES = 2 * 1_048_576;
/** Maximum turns of a conversation that can be continued. */
const CHAIN_MAX = 500;
const HOUR_SECONDS = 3_600;
/** Share of the lifetime within which a renewed turn is not renewed again. */
const RENEWAL_SHARE = 0.01;

/** Runs work that takes as long as serializing a response and its input: paced if one of them is long. */
export type RunWork = <T>(work: () => T) => Promise<T>;

const runAtOnce: RunWork = async (work) => work();

/** @returns false if it is too large, or responses are not stored */
export async function storeResponse(
  ctx: StoreContext,
  userId: number,
  stored: StoredResponse,
  { random = Math.random, run = runAtOnce }: { random?: () => number; run?: RunWork } = {},
): Promise<boolean> {
  const hours = ctx.settings.storedResponseHours;
  const input = await run(() => JSON.stringify(stored.input));
  const response = await run(() => JSON.stringify(stored.response));
  const size = input.length + response.length;
  if (hours === 0 || size > STORED_BYTES_MAX) return false;
  const now = nowSeconds(ctx.clock);
  const { numInsertedOrUpdatedRows } = await ctx.db.writer
    .insertInto('stored_response')
    .values({
      id: stored.id,
      user_id: userId,
      previous_id: stored.previousId ?? null,
      channel_id: stored.channelId ?? null,
      key_id: stored.keyId ?? null,
      created_time: now,
      expires_time: now + hours * HOUR_SECONDS,
      input,
      response,
    })
    // A provider may assign an id twice.
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  if (random() * EVICTION_CHECK_BYTES < size) await evictOldest(ctx, userId);
  return true;
}

/** Channel and key that generated a response, and the input that they received. */
type Origin = Pick<StoredResponse, 'channelId' | 'keyId' | 'input'>;

/**
 * Replaces the response stored under its id.
 * @param origin once the response is complete
 * @returns false when it is no longer stored, or is too large
 */
export async function updateResponse(
  ctx: StoreContext,
  userId: number,
  response: StoredResponse['response'] & { id: string },
  { origin, run = runAtOnce }: { origin?: Origin; run?: RunWork } = {},
): Promise<boolean> {
  const columns = {
    response: await run(() => JSON.stringify(response)),
    ...(origin && (await run(() => toOriginColumns(origin)))),
  };
  if (sizeOf(columns) > STORED_BYTES_MAX) return false;
  return updateColumns(ctx, userId, response.id, columns);
}

/**
 * Replaces a background response that may be larger than others.
 * @returns false when it is no longer stored, or is too large
 */
export async function updateLargeResponse(
  ctx: StoreContext,
  userId: number,
  { id, response }: Pick<ResponseRow, 'id' | 'response'>,
): Promise<boolean> {
  if (response.length > BACKGROUND_BYTES_MAX) return false;
  return updateColumns(ctx, userId, id, { response });
}

/** Records the origin of a response that is not stored yet. */
export async function updateOrigin(
  ctx: StoreContext,
  userId: number,
  id: string,
  origin: Origin,
  run = runAtOnce,
): Promise<void> {
  await updateColumns(ctx, userId, id, await run(() => toOriginColumns(origin)));
}

interface ChangedColumns {
  input?: string;
  response?: string;
  channel_id?: number | null;
  key_id?: string | null;
}

function toOriginColumns({ channelId, keyId, input }: Origin): ChangedColumns {
  return { input: JSON.stringify(input), channel_id: channelId ?? null, key_id: keyId ?? null };
}

function sizeOf({ input = '', response = '' }: ChangedColumns): number {
  return input.length + response.length;
}

/** @returns false when the response is no longer stored */
async function updateColumns(ctx: StoreContext, userId: number, id: string, columns: ChangedColumns): Promise<boolean> {
  const { numUpdatedRows } = await ctx.db.writer
    .updateTable('stored_response')
    .set(columns)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if (Math.random() * EVICTION_CHECK_BYTES < sizeOf(columns)) await evictOldest(ctx, userId);
  return true;
}

/**
 * Deletes the oldest responses by their size in bytes, which the database knows without reading them; characters
 * would have to be counted.
 */
async function evictOldest({ db }: StoreContext, userId: number): Promise<void> {
  await sql`delete from stored_response where user_id = ${userId} and id in (
    select id from (
      select id, row_number() over newest as place,
        sum(octet_length(input) + octet_length(response)) over newest as bytes
      from stored_response where user_id = ${userId}
      window newest as (order by created_time desc, id desc)) as kept
    where bytes > ${USER_BYTES_MAX} or place > ${USER_RESPONSES_MAX})`.execute(db.writer);
}

const unfinishedStatuses: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'failed', 'cancelled']);

/**
 * Returns whether the response has been generated. A background response that is queued, in progress, failed or
 * cancelled has not, and its request was not validated yet.
 */
export function isCompleted({ response }: Pick<StoredResponse, 'response'>): boolean {
  return !unfinishedStatuses.has(response['status']);
}

/** Row of a stored response. Its texts can have megabytes, whose parsing keeps the process busy. */
export interface ResponseRow extends Omit<StoredResponse, 'input' | 'response'> {
  /** JSON. */
  input: string;
  response: string;
}

/** Returns the bytes of a stored response and its input, which the database knows without reading them. */
export async function findResponseBytes(
  { db, clock }: StoreContext,
  userId: number,
  id: string,
): Promise<number | undefined> {
  const row = await db.reader
    .selectFrom('stored_response')
    .select(sql<number>`octet_length(input) + octet_length(response)`.as('bytes'))
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_time', '>', nowSeconds(clock))
    .executeTakeFirst();
  return row?.bytes;
}

export async function readResponse(
  { db, clock }: StoreContext,
  userId: number,
  id: string,
): Promise<ResponseRow | undefined> {
  const row = await db.reader
    .selectFrom('stored_response')
    .select(['id', 'previous_id', 'channel_id', 'key_id', 'input', 'response'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_time', '>', nowSeconds(clock))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { previous_id, channel_id, key_id, ...texts } = row;
  return {
    ...texts,
    previousId: previous_id ?? undefined,
    channelId: channel_id ?? undefined,
    keyId: key_id ?? undefined,
  };
}

export function parseResponse({ input, response, ...row }: ResponseRow): StoredResponse {
  return { ...row, input: JSON.parse(input) as unknown[], response: JSON.parse(response) as Record<string, unknown> };
}

export async function findResponse(ctx: StoreContext, userId: number, id: string): Promise<StoredResponse | undefined> {
  const row = await readResponse(ctx, userId, id);
  return row && parseResponse(row);
}

/** Response of a conversation, without its texts. */
export interface ConversationTurn {
  id: string;
  bytes: number;
  /** UTC seconds. */
  expiresAt: number;
}

/**
 * Returns the turns of a conversation up to a response, from its beginning; undefined if a part of it is no longer
 * stored.
 */
export async function listTurnsUpTo(
  { db, clock }: StoreContext,
  userId: number,
  id: string,
): Promise<ConversationTurn[] | undefined> {
  const columns = sql`s.id, s.previous_id, s.expires_time, octet_length(s.input) + octet_length(s.response)`;
  const isKept = sql`s.user_id = ${userId} and s.expires_time > ${nowSeconds(clock)}`;
  const { rows } = await sql<ConversationTurn & { previousId: string | null }>`
    with recursive turn (id, previous_id, expires_time, bytes, nth) as (
      select ${columns}, 1 from stored_response s where ${isKept} and s.id = ${id}
      union all
      select ${columns}, turn.nth + 1 from turn join stored_response s on s.id = turn.previous_id and ${isKept}
      where turn.nth < ${CHAIN_MAX})
    select id, previous_id as "previousId", expires_time as "expiresAt", bytes from turn order by nth desc`.execute(
    db.reader,
  );
  return rows[0]?.previousId === null ? rows : undefined;
}

/** Memory and processing limits for reading a conversation. */
interface ReadOptions {
  /** Counts the bytes of all turns before one is read; may throw. */
  reserveBytes: (bytes: number) => void;
  /** Runs work that takes as long as parsing so many bytes. */
  runPaced: <T>(bytes: number, work: () => T) => Promise<T>;
}

const IMMEDIATE: ReadOptions = { reserveBytes: () => {}, runPaced: async (_bytes, work) => work() };

/**
 * Returns the conversation up to a response, from its beginning, and renews its lifetime; undefined if a part of it
 * is no longer stored.
 */
export async function readConversationUpTo(
  ctx: StoreContext,
  userId: number,
  id: string,
  { reserveBytes, runPaced }: ReadOptions = IMMEDIATE,
): Promise<StoredResponse[] | undefined> {
  const turns = await listTurnsUpTo(ctx, userId, id);
  if (turns === undefined) return undefined;
  reserveBytes(turns.reduce((sum, { bytes }) => sum + bytes, 0));
  const conversation: StoredResponse[] = [];
  for (const turn of turns) {
    const row = await readResponse(ctx, userId, turn.id);
    if (row === undefined) return undefined;
    conversation.push(await runPaced(turn.bytes, () => parseResponse(row)));
    await extendTurn(ctx, userId, turn);
  }
  return conversation;
}

/** Renews the lifetime of a turn from which the conversation continues. */
async function extendTurn(
  { db, clock, settings }: StoreContext,
  userId: number,
  { id, expiresAt }: ConversationTurn,
): Promise<void> {
  const lifetime = settings.storedResponseHours * HOUR_SECONDS;
  const renewed = nowSeconds(clock) + lifetime;
  // Not with every request, because the database rewrites the whole row.
  if (renewed - expiresAt < lifetime * RENEWAL_SHARE) return;
  await db.writer
    .updateTable('stored_response')
    .set({ expires_time: renewed })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .execute();
}

/** Yields all stored responses of a user as JSON, one at a time, because each can have megabytes. */
export async function* exportResponses({ db }: Pick<StoreContext, 'db'>, userId: number): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    const row = await db.reader
      .selectFrom('stored_response')
      .select(['id', 'previous_id', 'created_time', 'expires_time', 'input', 'response'])
      .where('user_id', '=', userId)
      .where('id', '>', last)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return;
    const { input, response, ...rest } = row;
    yield [`${JSON.stringify(rest).slice(0, -1)},"input":${input},"response":${response}}`];
    last = row.id;
  }
}

/** @returns whether the response existed */
export async function removeResponse({ db }: StoreContext, userId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.writer
    .deleteFrom('stored_response')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** @returns the number of removed responses */
export function removeExpiredResponses(
  { db, clock }: Pick<StoreContext, 'db' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  return removeRows(db, (rows) => rows.where('expires_time', '<=', nowSeconds(clock)), stopping);
}

export function removeUserResponses({ db }: Pick<StoreContext, 'db'>, userId: number): Promise<number> {
  return removeRows(db, (rows) => rows.where('user_id', '=', userId));
}

type Rows = SelectQueryBuilder<Schema, 'stored_response', object>;

function removeRows(db: Database, which: (rows: Rows) => Rows, stopping?: AbortSignal): Promise<number> {
  return processRowsInChunks(
    db,
    (trx) => which(trx.selectFrom('stored_response')).select(['user_id', 'id', selectByteSize('input', 'response')]),
    (trx, rows) =>
      trx
        .deleteFrom('stored_response')
        .where(matchesAnyKey(['user_id', 'id'], rows))
        .execute(),
    stopping,
  );
}
