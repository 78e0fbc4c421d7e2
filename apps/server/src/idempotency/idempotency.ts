/**
 * `Idempotency-Key`: a repeated request, whose response was lost, gets the same response and is not executed again.
 * Keys belong to their caller and expire after a day.
 */
import { createHash, hash } from 'node:crypto';
import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Database } from '../db/open-database.ts';
import { matchesAnyKey, processRowsInChunks, selectByteSize } from '../db/process-in-chunks.ts';
import type { IdempotencyKey, Postings } from '../ledger/ledger.ts';
import { nowSeconds } from '../platform/clock.ts';
import { AppError } from '../platform/http/app-error.ts';
import type { Caller } from '../platform/http/caller.ts';
import type { Schema } from '../schema.ts';
import { addBytesToUsage, addKeyToUsage, KEYS_MAX, removeFromUsage, sumBytes } from './count-idempotency-keys.ts';

const LIFETIME_SECONDS = 86_400;
export const TOO_MANY_KEYS = `You have reached the limit of ${KEYS_MAX} idempotency keys within 24 hours. Retry without the key, or in an hour.`;
/** Interval in seconds after which expired keys are removed. */
export const RETRY_SECONDS = 3_600;

/** User id of keys that belong to the gateway itself, for which no limit applies. */
export const NO_USER = 0;

/** Returns the scope of the keys of a user's management requests. */
const consoleScope = (userId: number): string => `console ${userId}`;

/** Returns the scope of the keys of relayed requests. @param apiKeyId undefined for requests without an API key */
export const relayScope = (userId: number, apiKeyId: number | undefined): string => `relay ${userId} ${apiKeyId ?? 0}`;

export interface IdempotencyKeyUse extends IdempotencyKey {
  /** User whose usage counts the key, or `NO_USER`. */
  userId: number;
  fingerprint: string;
  requestId: string;
}

export interface IdempotentResponse {
  status: number;
  contentType: string;
  body: Uint8Array;
}

/** `unfinished`: used by a request without a stored response: it is running, died, or its response was too large. */
export type KeyClaim =
  | { state: 'new' }
  | { state: 'kept'; answer: IdempotentResponse }
  | { state: 'unfinished'; requestId: string }
  | { state: 'used-for-something-else' }
  /** The user has reached `KEYS_MAX`. */
  | { state: 'too-many' };

/** Bytes that are hashed in a fraction of a millisecond. */
const SLICE_BYTES = 131_072;

/** Computes the fingerprint of a request, and yields after each slice of its bytes, which may be many megabytes. */
export function* computeFingerprint(parts: readonly (string | Uint8Array)[]): Generator<undefined, string> {
  const sha256 = createHash('sha256');
  for (const part of parts) {
    if (typeof part === 'string') sha256.update(part);
    else
      for (let at = 0; at < part.length; at += SLICE_BYTES) {
        if (at > 0) yield;
        sha256.update(part.subarray(at, at + SLICE_BYTES));
      }
    sha256.update('\n');
  }
  return sha256.digest('base64url');
}

/** Claims the key for a request, or returns the state of the request that has it. */
export async function claimKey(db: Kysely<Schema>, use: IdempotencyKeyUse, now: number): Promise<KeyClaim> {
  const { userId, scope, key, fingerprint, requestId } = use;
  const taken = await db
    .insertInto('idempotency_key')
    .values({ scope, key, user_id: userId, fingerprint, request_id: requestId, created_at: now, ...NO_RESPONSE })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (taken !== undefined) {
    if (userId === NO_USER || (await addKeyToUsage(db, userId))) return { state: 'new' };
    await db.deleteFrom('idempotency_key').where('scope', '=', scope).where('key', '=', key).execute();
    return { state: 'too-many' };
  }
  const row = await db
    .selectFrom('idempotency_key')
    .selectAll()
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst();
  // The other request just released the key, or it has expired and is not removed yet.
  if (row === undefined || row.created_at <= now - LIFETIME_SECONDS) {
    if (row !== undefined) await releaseKey(db, { ...use, requestId: row.request_id });
    return claimKey(db, use, now);
  }
  if (row.fingerprint !== fingerprint) return { state: 'used-for-something-else' };
  const { status, content_type, body } = row;
  if (status === null || content_type === null || body === null)
    return { state: 'unfinished', requestId: row.request_id };
  return { state: 'kept', answer: { status, contentType: content_type, body } };
}

const NO_RESPONSE = { status: null, content_type: null, body: null };

/**
 * Stores the response to the request that has the key. @returns the bytes of all responses that are stored for the
 * user
 */
export async function storeIdempotentResponse(
  db: Kysely<Schema>,
  { userId, scope, key, requestId }: IdempotencyKeyUse,
  { status, contentType, body }: IdempotentResponse,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_key')
    .set({ status, content_type: contentType, body })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('request_id', '=', requestId)
    .where('body', 'is', null)
    .executeTakeFirst();
  return addBytesToUsage(db, userId, numUpdatedRows === 0n ? 0 : body.length);
}

/** Releases the key of a request: the next request with it is served as a new one. */
export async function releaseKey(db: Kysely<Schema>, { scope, key, requestId }: IdempotencyKeyUse): Promise<void> {
  const freed = db
    .deleteFrom('idempotency_key')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('request_id', '=', requestId);
  await removeFromUsage(db, await freed.returning(['user_id', selectByteSize('body')]).execute());
}

/**
 * Deletes a user's oldest responses, up to a megabyte at a time, until the others have at most `maxBytes`. Their keys
 * stay used.
 */
export async function evictOldResponses(db: Database, userId: number, maxBytes: number): Promise<void> {
  const haveTooMany = (trx: Kysely<Schema>) =>
    trx.selectFrom('idempotency_usage').select('user_id').where('user_id', '=', userId).where('bytes', '>', maxBytes);
  await processRowsInChunks(
    db,
    (trx) =>
      trx
        .selectFrom('idempotency_key')
        .select(['scope', 'key', selectByteSize('body')])
        .where('user_id', '=', userId)
        .where('body', 'is not', null)
        .where('user_id', 'in', haveTooMany(trx))
        .orderBy('created_at'),
    async (trx, rows) => {
      await trx
        .updateTable('idempotency_key')
        .set(NO_RESPONSE)
        .where(matchesAnyKey(['scope', 'key'], rows))
        .execute();
      await addBytesToUsage(trx, userId, -sumBytes(rows));
    },
  );
}

/** @returns the number of removed keys */
export function removeExpiredKeys(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  stopping?: AbortSignal,
): Promise<number> {
  const before = nowSeconds(clock) - LIFETIME_SECONDS;
  return removeKeys(db, (keys) => keys.where('created_at', '<=', before), stopping);
}

/**
 * Removes the keys of a user whose account is being deleted, with the stored responses.
 * @param apiKeyIds pages of the ids of all API keys that the user ever had
 */
export async function removeUserKeys(
  { db }: Pick<Context, 'db'>,
  userId: number,
  apiKeyIds: AsyncIterable<readonly number[]>,
): Promise<void> {
  const remove = (scopes: readonly string[]) => removeKeys(db, (keys) => keys.where('scope', 'in', scopes));
  await remove([consoleScope(userId), relayScope(userId, undefined)]);
  for await (const ids of apiKeyIds) await remove(ids.map((id) => relayScope(userId, id)));
}

type Keys = SelectQueryBuilder<Schema, 'idempotency_key', object>;

/** @param which narrows the query to the keys to remove */
function removeKeys(db: Database, which: (keys: Keys) => Keys, stopping?: AbortSignal): Promise<number> {
  return processRowsInChunks(
    db,
    (trx) => which(trx.selectFrom('idempotency_key')).select(['scope', 'key', 'user_id', selectByteSize('body')]),
    async (trx, rows) => {
      await trx
        .deleteFrom('idempotency_key')
        .where(matchesAnyKey(['scope', 'key'], rows))
        .execute();
      await removeFromUsage(trx, rows);
    },
    stopping,
  );
}

/**
 * Runs a management write that moves points, once for each key of the caller. The response is stored in the same
 * transaction as the movement.
 * @param asked the operation, with everything that determines its result
 * @throws AppError `conflict` if the key was used for another request
 */
export async function runIdempotently<S extends z.ZodType>(
  ctx: Context,
  call: { caller: Pick<Caller, 'userId'>; requestId: string; idempotencyKey: string | undefined },
  asked: { what: string; input: unknown; answer: S },
  work: (trx: Transaction<Schema>, moves: Postings) => Promise<z.output<S>>,
): Promise<{ answer: z.output<S>; repeated: boolean }> {
  const { caller, requestId, idempotencyKey: key } = call;
  return ctx.ledger.transaction(async (trx, moves) => {
    if (key === undefined) return { answer: await work(trx, moves), repeated: false };
    const fingerprint = hash('sha256', `${asked.what}\n${JSON.stringify(asked.input)}\n`, 'base64url');
    const { userId } = caller;
    const use = { userId, scope: consoleScope(userId), key, fingerprint, requestId };
    const claim = await claimKey(trx, use, nowSeconds(ctx.clock));
    if (claim.state === 'kept')
      return { answer: asked.answer.parse(JSON.parse(Buffer.from(claim.answer.body).toString())), repeated: true };
    if (claim.state === 'too-many')
      throw new AppError('too-many-requests', TOO_MANY_KEYS, { retryAfterSeconds: RETRY_SECONDS });
    if (claim.state !== 'new')
      throw new AppError('conflict', 'This Idempotency-Key was used for a different request. Use a new key.');
    const answer = await work(trx, moves);
    const body = Buffer.from(JSON.stringify(z.encode(asked.answer, answer)));
    await storeIdempotentResponse(trx, use, { status: 200, contentType: 'application/json', body });
    return { answer, repeated: false };
  });
}
