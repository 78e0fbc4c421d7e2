/**
 * `Idempotency-Key`: a request that is sent again, because its answer was lost, is answered again and not done again.
 * Keys are the caller's own and live for a day.
 */
import { createHash } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Moves } from '../ledger/ledger.ts';
import { nowSeconds } from '../platform/clock.ts';
import { AppError } from '../platform/http/app-error.ts';
import type { Caller } from '../platform/http/caller.ts';
import type { Schema } from '../schema.ts';

const LIFETIME_SECONDS = 86_400;

export interface KeyUse {
  scope: string;
  key: string;
  fingerprint: string;
  requestId: string;
}

export interface KeptAnswer {
  status: number;
  contentType: string;
  body: Uint8Array;
}

/** `unfinished`: used by a request that has no answer to give again: it runs, died, or its answer was too large. */
export type Claim =
  | { state: 'new' }
  | { state: 'kept'; answer: KeptAnswer }
  | { state: 'unfinished'; requestId: string }
  | { state: 'used-for-something-else' };

export function fingerprintOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\n');
  return hash.digest('base64url');
}

/** Takes the key for a request, or says what became of the request that has it. */
export async function claimKey(db: Kysely<Schema>, use: KeyUse, now: number): Promise<Claim> {
  const { scope, key, fingerprint, requestId } = use;
  await db
    .deleteFrom('idempotency_key')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '<=', now - LIFETIME_SECONDS)
    .execute();
  const taken = await db
    .insertInto('idempotency_key')
    .values({ scope, key, fingerprint, request_id: requestId, created_at: now, ...NO_ANSWER })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (taken !== undefined) return { state: 'new' };
  const row = await db
    .selectFrom('idempotency_key')
    .selectAll()
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  if (row.fingerprint !== fingerprint) return { state: 'used-for-something-else' };
  const { status, content_type, body } = row;
  if (status === null || content_type === null || body === null)
    return { state: 'unfinished', requestId: row.request_id };
  return { state: 'kept', answer: { status, contentType: content_type, body } };
}

const NO_ANSWER = { status: null, content_type: null, body: null };

export async function keepAnswer(
  db: Kysely<Schema>,
  { scope, key, requestId }: KeyUse,
  { status, contentType, body }: KeptAnswer,
): Promise<void> {
  await db
    .updateTable('idempotency_key')
    .set({ status, content_type: contentType, body })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('request_id', '=', requestId)
    .execute();
}

/**
 * Forgets the oldest answers of the scopes that begin so, until those that are left have at most `maxBytes`. Their keys
 * stay used.
 */
export async function forgetOldAnswers(
  db: Kysely<Schema>,
  scopePrefix: string,
  maxBytes: number,
): Promise<void> {
  await sql`update idempotency_key set status = null, content_type = null, body = null
    where body is not null and (scope, key) in (
      select scope, key from (
        select scope, key, sum(length(body)) over (order by created_at desc, scope, key) as bytes
        from idempotency_key
        where scope >= ${scopePrefix} and scope < ${`${scopePrefix}\u{10FFFF}`} and body is not null) as kept
      where bytes > ${maxBytes})`.execute(db);
}

/** The next request with this key is done as if there had been none. */
export async function freeKey(db: Kysely<Schema>, { scope, key, requestId }: KeyUse): Promise<void> {
  await db
    .deleteFrom('idempotency_key')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('request_id', '=', requestId)
    .execute();
}

/**
 * Does a management write that moves points, once for each key of the caller; the answer is kept in the same
 * transaction as the movement.
 * @param asked what is done, with everything that decides it
 * @throws AppError `conflict` when the key was used for something else
 */
export async function doOnce<S extends z.ZodType>(
  ctx: Context,
  call: { caller: Pick<Caller, 'userId'>; requestId: string; idempotencyKey: string | undefined },
  asked: { what: string; input: unknown; answer: S },
  work: (trx: Transaction<Schema>, moves: Moves) => Promise<z.output<S>>,
): Promise<{ answer: z.output<S>; repeated: boolean }> {
  const { caller, requestId, idempotencyKey: key } = call;
  return ctx.ledger.transaction(async (trx, moves) => {
    if (key === undefined) return { answer: await work(trx, moves), repeated: false };
    const fingerprint = fingerprintOf(asked.what, JSON.stringify(asked.input));
    const use = { scope: `console ${caller.userId}`, key, fingerprint, requestId };
    const claim = await claimKey(trx, use, nowSeconds(ctx.clock));
    if (claim.state === 'kept')
      return {
        answer: asked.answer.parse(JSON.parse(Buffer.from(claim.answer.body).toString())),
        repeated: true,
      };
    if (claim.state !== 'new')
      throw new AppError('conflict', 'This Idempotency-Key was used for a different request');
    const answer = await work(trx, moves);
    const body = Buffer.from(JSON.stringify(z.encode(asked.answer, answer)));
    await keepAnswer(trx, use, { status: 200, contentType: 'application/json', body });
    return { answer, repeated: false };
  });
}

/** @returns how many */
export async function removeOldKeys(ctx: Context): Promise<number> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('idempotency_key')
    .where('created_at', '<=', nowSeconds(ctx.clock) - LIFETIME_SECONDS)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
