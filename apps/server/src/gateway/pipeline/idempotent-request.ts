/**
 * Serves relayed requests with an `Idempotency-Key`: a repeated request gets the first response and is charged once.
 * A request that failed without a charge releases its key.
 */
import type { IncomingMessage } from 'node:http';
import { type ClientRequest, getFingerprintBytes } from '@switchyard/relay';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import type { Lease } from '../../db/leases.ts';
import {
  claimKey,
  computeFingerprint,
  evictOldResponses,
  type IdempotencyKeyUse,
  type IdempotentResponse,
  RETRY_SECONDS,
  relayScope,
  releaseKey,
  storeIdempotentResponse,
  TOO_MANY_KEYS,
} from '../../idempotency/idempotency.ts';
import { type IdempotencyKey, readWrittenCharge } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import { readResponse } from '../../stored-responses/stored-responses.ts';
import type { TaskRow, Tasks } from '../../tasks/tasks.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { RecordingResponse } from '../http/recording-response.ts';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { type FairScheduler, runInTurns } from '../limits/fair-scheduler.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import { buildJsonResponse, buildTaskResponse } from './send-response.ts';

interface Call {
  message: IncomingMessage;
  client: ClientResponse;
  principal: Principal;
  request: ClientRequest;
  requestId: string;
  slot: ConcurrencySlot;
}

export interface Idempotency {
  /** Serves the request and records its response, or replays the stored response of its key. */
  serveOnce(
    call: Call,
    idempotencyKey: IdempotencyKey,
    serve: (client: ClientResponse) => Promise<void>,
  ): Promise<void>;
}

const ANSWER_BYTES_MAX = 1_048_576;
/** Maximum bytes of stored responses per user; the oldest are removed first. */
const KEPT_BYTES_MAX = 32 * 1_048_576;

export function createIdempotency(
  ctx: Pick<Context, 'db' | 'ledger' | 'leases' | 'clock' | 'log' | 'settings'>,
  tasks: Pick<Tasks, 'findByRequest' | 'present'>,
  scheduler: FairScheduler,
): Idempotency {
  const db = ctx.db.writer;
  /** Request ids of running calls with a key. */
  const running = new Set<string>();
  /**
   * Resolves with whether the request may still be charged: it runs on another node, or on one that died and whose
   * holds are still open.
   */
  const runsElsewhere = async (requestId: string): Promise<boolean> => {
    if (!ctx.leases.isShared) return false;
    const [lease] = await ctx.leases.acquire([leaseName(requestId)]);
    if (lease === undefined) return true;
    await lease.release();
    return isHeld(db, requestId);
  };
  /** Users whose oldest responses are being deleted. */
  const forgetting = new Set<number>();

  /** Resolves with undefined when the response is no longer stored. */
  const answerOf = async (task: TaskRow): Promise<IdempotentResponse | undefined> => {
    if (task.client_format !== 'openai-responses') return buildTaskResponse(task.client_format, tasks.present(task));
    const stored = await readResponse(ctx, task.user_id, task.id);
    return stored && buildJsonResponse(stored.response);
  };

  /** Resolves with undefined when the request has to be served. */
  const claim = async (use: IdempotencyKeyUse, user: Principal['user']): Promise<IdempotentResponse | undefined> => {
    const known = await claimKey(db, use, nowSeconds(ctx.clock));
    if (known.state === 'new') return undefined;
    if (known.state === 'kept') return known.answer;
    if (known.state === 'used-for-something-else') throw keyReusedError();
    if (known.state === 'too-many') throw tooManyKeysError();
    if (running.has(known.requestId)) throw stillRunningError(known.requestId);
    const task = await tasks.findByRequest(user.id, known.requestId);
    const begun = task && (await answerOf(task));
    if (begun !== undefined) return begun;
    if (task?.ended_at === null || (await runsElsewhere(known.requestId))) throw stillRunningError(known.requestId);
    const charge = await ctx.ledger.readCharge(known.requestId);
    if (charge !== undefined) throw alreadyCompletedError(known.requestId, charge);
    // The request's process died before anything was charged or submitted, or is cut off from the database.
    await releaseUncharged(db, { ...use, requestId: known.requestId });
    return claim(use, user);
  };

  const keep = async (use: IdempotencyKeyUse, answer: IdempotentResponse | undefined): Promise<void> => {
    if (answer === undefined) return;
    const { userId } = use;
    try {
      const bytes = await storeIdempotentResponse(db, use, answer);
      if (bytes <= KEPT_BYTES_MAX || forgetting.has(userId)) return;
      forgetting.add(userId);
      await evictOldResponses(ctx.db, userId, KEPT_BYTES_MAX).finally(() => forgetting.delete(userId));
    } catch (error) {
      ctx.log.error(
        { err: error, request_id: use.requestId },
        'a response could not be stored for its idempotency key',
      );
    }
  };

  /** @returns a function that sends the end of the response */
  const serveAndKeep = async (
    use: IdempotencyKeyUse,
    { client, slot }: Call,
    serve: (client: ClientResponse) => Promise<void>,
  ): Promise<() => void> => {
    const recording = new RecordingResponse(client, { maxBytes: ANSWER_BYTES_MAX, grow: (bytes) => slot.grow(bytes) });
    try {
      await serve(recording);
    } catch (error) {
      ctx.ledger.release(use.requestId);
      if (((await ctx.ledger.readCharge(use.requestId)) ?? 0) === 0) await releaseKey(db, use);
      throw error;
    }
    await keep(use, recording.response);
    return () => recording.release();
  };

  return {
    async serveOnce(call, idempotencyKey, serve) {
      const use = await describeKeyUse(scheduler, call, idempotencyKey);
      running.add(use.requestId);
      let lease: Lease | undefined;
      let respond: () => void;
      try {
        [lease] = await ctx.leases.acquire([leaseName(use.requestId)]);
        const kept = await claim(use, call.principal.user);
        respond = kept === undefined ? await serveAndKeep(use, call, serve) : () => replay(call, kept);
      } finally {
        running.delete(use.requestId);
        await lease?.release();
      }
      // Sent last: until the request ends it occupies a concurrency slot, which the client's next request may need.
      respond();
    },
  };
}

/**
 * Releases the key of a request that was not charged. A node that was cut off from the database charges late, or stores
 * the task of a request, but only if the request still has its key, which it locks.
 * @throws RelayError if it has done so meanwhile
 */
function releaseUncharged(db: Kysely<Schema>, use: IdempotencyKeyUse): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await releaseKey(trx, use);
    const charge = await readWrittenCharge(trx, use.requestId);
    if (charge !== undefined) throw alreadyCompletedError(use.requestId, charge);
    if (await isHeld(trx, use.requestId)) throw stillRunningError(use.requestId);
  });
}

async function isHeld(db: Kysely<Schema>, requestId: string): Promise<boolean> {
  const hold = db.selectFrom('hold').select('request_id').where('request_id', '=', requestId);
  return (await hold.executeTakeFirst()) !== undefined;
}

const leaseName = (requestId: string): string => `idempotent:${requestId}`;

/** Returns the key of a request, with its scope. @throws RelayError `invalid_request` */
export function parseIdempotencyKey(message: IncomingMessage, { user, key }: Principal): IdempotencyKey | undefined {
  const text = message.headers['idempotency-key'];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(text))
    throw new RelayError('invalid_request', 'Idempotency-Key must be up to 255 visible characters.');
  return { scope: relayScope(user.id, key?.id), key: text };
}

async function describeKeyUse(
  scheduler: FairScheduler,
  { principal, request, requestId }: Call,
  idempotencyKey: IdempotencyKey,
): Promise<IdempotencyKeyUse> {
  const parts = [...listFingerprintParts(request), ...getFingerprintBytes(request)];
  const fingerprint = await runInTurns(scheduler, computeFingerprint(parts));
  return { ...idempotencyKey, userId: principal.user.id, fingerprint, requestId };
}

/** Returns the parts of a request that its address can determine apart from the body. */
function listFingerprintParts({
  operation,
  format,
  framing,
  facts: { model, stream },
  submission,
}: ClientRequest): string[] {
  const origin = submission?.originId === undefined ? [] : [submission.originId];
  return [operation, format, model, String(stream), framing, ...origin];
}

/** @throws RelayError `overloaded` when the memory budget has no room for the response */
function replay({ client, slot }: Call, { status, contentType, body }: IdempotentResponse): void {
  const bytes = Buffer.from(body);
  slot.growTo(bytes.length);
  client.header('x-switchyard-idempotent-replay', 'true');
  client.send(status, contentType, bytes);
}

const keyReusedError = () =>
  new RelayError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for a request with different parameters. Use a new key.',
  );
const tooManyKeysError = () =>
  new RelayError('rate_limit_exceeded', TOO_MANY_KEYS, { retryAfterSeconds: RETRY_SECONDS });
const stillRunningError = (requestId: string) =>
  new RelayError(
    'idempotency_conflict',
    `The request ${requestId} with this Idempotency-Key is still running. Retry in 1 second with the same key.`,
    { retryAfterSeconds: 1 },
  );
const alreadyCompletedError = (requestId: string, charge: number) => {
  const request = `The request ${requestId} with this Idempotency-Key`;
  const outcome = `was completed and charged ${charge} points, but its response was not stored`;
  const remedy = 'Use a new key to run it again, which is charged again.';
  return new RelayError('idempotency_conflict', `${request} ${outcome}. ${remedy}`);
};
