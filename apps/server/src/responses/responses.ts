/**
 * Answers of the Responses API, kept for as long as the settings say, so that a conversation can go on from one by its
 * id, on whatever channel. Each belongs to a user; nobody else can tell that it exists.
 */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';

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
/** Maximum number of bytes stored for a user; the oldest responses are deleted first. */
const USER_BYTES_MAX = 128 * 1_048_576;
/** So is their number, about. */
const USER_RESPONSES_MAX = 10_000;
/** Looking for the oldest reads all that a user has: it is done about once in as many bytes. */
const LOOK_BYTES = 2 * 1_048_576;
/** Turns of a conversation that can be gone on from. */
const CHAIN_MAX = 500;
const HOUR_SECONDS = 3_600;

/** @returns false when it is too large to be kept, or nothing is kept here */
export async function storeResponse(
  ctx: StoreContext,
  userId: number,
  stored: StoredResponse,
  random: () => number = Math.random,
): Promise<boolean> {
  const hours = ctx.settings.storedResponseHours;
  const input = JSON.stringify(stored.input);
  const response = JSON.stringify(stored.response);
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
    // A vendor may give an id twice.
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  if (random() * LOOK_BYTES < size) await forgetOldest(ctx, userId);
  return true;
}

/**
 * Replaces the response stored under its id.
 * @param made channel, key and input, once the response is complete
 * @returns false when it is no longer stored, or is too large
 */
export async function updateResponse(
  { db }: StoreContext,
  userId: number,
  response: StoredResponse['response'] & { id: string },
  made?: Pick<StoredResponse, 'channelId' | 'keyId' | 'input'>,
): Promise<boolean> {
  const text = JSON.stringify(response);
  const input = made && JSON.stringify(made.input);
  if (text.length + (input?.length ?? 0) > STORED_BYTES_MAX) return false;
  const { numUpdatedRows } = await db.writer
    .updateTable('stored_response')
    .set({
      response: text,
      ...(made && { input, channel_id: made.channelId ?? null, key_id: made.keyId ?? null }),
    })
    .where('id', '=', response.id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Deletes the oldest responses by their size in bytes, which the database knows without reading them; characters would
 * have to be counted.
 */
async function forgetOldest({ db }: StoreContext, userId: number): Promise<void> {
  await sql`delete from stored_response where user_id = ${userId} and id in (
    select id from (
      select id, row_number() over newest as place,
        sum(octet_length(input) + octet_length(response)) over newest as bytes
      from stored_response where user_id = ${userId}
      window newest as (order by created_time desc, id desc)) as kept
    where bytes > ${USER_BYTES_MAX} or place > ${USER_RESPONSES_MAX})`.execute(db.writer);
}

const unmade: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'failed', 'cancelled']);

/**
 * Returns whether the response has been generated: a background response that is queued, in progress, failed or
 * cancelled has none. What its request said was not checked before.
 */
export function isMade({ response }: Pick<StoredResponse, 'response'>): boolean {
  return !unmade.has(response['status']);
}

/** @param grow is told how large it is before it is parsed, and may throw */
export async function findResponse(
  { db, clock }: StoreContext,
  userId: number,
  id: string,
  grow: (bytes: number) => void = () => {},
): Promise<StoredResponse | undefined> {
  const row = await db.writer
    .selectFrom('stored_response')
    .select(['id', 'previous_id', 'channel_id', 'key_id', 'input', 'response'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_time', '>', nowSeconds(clock))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  grow(row.input.length + row.response.length);
  return {
    id: row.id,
    previousId: row.previous_id ?? undefined,
    channelId: row.channel_id ?? undefined,
    keyId: row.key_id ?? undefined,
    input: JSON.parse(row.input) as unknown[],
    response: JSON.parse(row.response) as Record<string, unknown>,
  };
}

/**
 * The conversation up to an answer, from its beginning. What is gone on from is kept for as long again.
 * @param grow as in `findResponse`, of each turn
 * @returns undefined when a part of it is not kept any more
 */
export async function conversationUpTo(
  ctx: StoreContext,
  userId: number,
  id: string,
  grow?: (bytes: number) => void,
): Promise<StoredResponse[] | undefined> {
  const turns: StoredResponse[] = [];
  for (let next: string | undefined = id; next !== undefined; ) {
    const turn: StoredResponse | undefined =
      turns.length < CHAIN_MAX ? await findResponse(ctx, userId, next, grow) : undefined;
    if (turn === undefined) return undefined;
    turns.unshift(turn);
    next = turn.previousId;
  }
  await keepOn(ctx, userId, turns);
  return turns;
}

async function keepOn(
  { db, clock, settings }: StoreContext,
  userId: number,
  turns: readonly StoredResponse[],
): Promise<void> {
  await db.writer
    .updateTable('stored_response')
    .set({ expires_time: nowSeconds(clock) + settings.storedResponseHours * HOUR_SECONDS })
    .where('user_id', '=', userId)
    .where(
      'id',
      'in',
      turns.map(({ id }) => id),
    )
    .execute();
}

/** @returns whether there was one */
export async function removeResponse({ db }: StoreContext, userId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.writer
    .deleteFrom('stored_response')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** @returns how many */
export async function removeExpiredResponses({ db, clock }: StoreContext): Promise<number> {
  const { numDeletedRows } = await db.writer
    .deleteFrom('stored_response')
    .where('expires_time', '<=', nowSeconds(clock))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
