/**
 * `GET` and `DELETE /v1/responses/{id}`, `GET …/input_items` and `POST …/cancel`, for stored and running responses.
 */
import { planResponseDeletion } from '@switchyard/relay';
import { textOf } from '@switchyard/relay/json';
import type { VendorTokenCache } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { runInBackground } from '../../platform/log.ts';
import {
  findResponseBytes,
  parseResponse,
  type ResponseRow,
  readResponse,
  removeResponse,
  type StoredResponse,
} from '../../stored-responses/stored-responses.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type { EndpointRequest } from '../endpoints/read-own-tasks.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { parsePage } from '../http/openai-list-page.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Query } from '../http/relay-paths.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { createPacedRunner, type PacedExecutor } from '../limits/paced-executor.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { EVENT_STREAM, encodeEvent } from './background-response-events.ts';
import type { BackgroundResponses } from './background-responses.ts';
import { findAccountKey } from './conversation-state.ts';
import { listInputItems } from './input-items.ts';

const PAGE_MAX = 100;
const PAGE_DEFAULT = 20;
const DELETE_TIMEOUT_MS = 10_000;
/** Maximum deletions at providers that run at once. */
const DELETIONS_MAX = 16;
const DELETIONS_WAITING_MAX = 10_000;
const DISCARDED_BYTES_MAX = 16_384;

export interface ResponseEndpointsParts extends DeleteAtVendorParts {
  pacedExecutor: PacedExecutor;
  tasks: Tasks;
}

const path = /^\/v1\/responses\/([^/]{1,256})(\/input_items|\/cancel)?$/;
export interface ResponseEndpoints {
  serves(method: string, path: string): boolean;
  /** @returns JSON; undefined once a stream was sent. @throws RelayError */
  handle: (principal: Principal, request: EndpointRequest, slot: ConcurrencySlot) => Promise<string | undefined>;
}

export function createResponseEndpoints(
  ctx: Pick<Context, 'db' | 'clock' | 'settings' | 'log' | 'outbound'>,
  parts: ResponseEndpointsParts,
  background: BackgroundResponses,
): ResponseEndpoints {
  const forgetAtVendor = createDeleteAtVendor(ctx, parts);

  /** Parses a stored response, long ones in the paced executor. */
  const parsed = (userId: number, row: ResponseRow): Promise<StoredResponse> =>
    createPacedRunner(parts.pacedExecutor, userId)(row.input.length + row.response.length, () => parseResponse(row));

  const answerTo = async (
    { client, message, query }: EndpointRequest,
    [, id = '', below]: RegExpExecArray,
    { user }: Principal,
    slot: ConcurrencySlot,
  ): Promise<string | undefined> => {
    if (message.method !== 'GET') await background.cancel(user.id, id);
    if (below === '/input_items') {
      const page = parsePage(query, PAGE_DEFAULT, PAGE_MAX);
      const items = await listInputItems(ctx, parts.pacedExecutor, { userId: user.id, id, page, slot });
      if (items === undefined) throw notFoundError(id);
      return items;
    }
    const isStream = message.method === 'GET' && isStreamRequested(query);
    const after = isStream ? startingAfter(query) : -1;
    const bytes = await findResponseBytes(ctx, user.id, id);
    if (bytes === undefined) throw notFoundError(id);
    slot.growTo(bytes);
    const row = await readResponse(ctx, user.id, id);
    if (row === undefined) throw notFoundError(id);
    if (message.method === 'POST') {
      requireBackground((await parsed(user.id, row)).response);
      return row.response;
    }
    if (message.method === 'DELETE') {
      const task = await parts.tasks.find(user.id, id);
      await removeResponse(ctx, user.id, id);
      // A background response has another id at its vendor.
      forgetAtVendor({ ...row, id: task?.upstream_id ?? id });
      if (task?.client_format === 'openai-responses') await parts.tasks.remove(id);
      return JSON.stringify({ id, object: 'response', deleted: true });
    }
    if (!isStream) return row.response;
    const following = background.streamEvents(user.id, id, client, after);
    if (following === undefined) sendFinalEvent(client, await parsed(user.id, row), after);
    else await following;
    return undefined;
  };

  return {
    serves(method, address) {
      const [known, , below] = path.exec(address) ?? [];
      if (known === undefined) return false;
      return below === '/cancel' ? method === 'POST' : method === 'GET' || (method === 'DELETE' && below === undefined);
    },
    async handle(principal, request, slot) {
      const named = path.exec(request.path);
      if (named === null) throw notFoundError(request.path);
      return answerTo(request, named, principal, slot);
    },
  };
}

/**
 * Returns whether a query takes a concurrency slot: following events and reading a conversation do. Others don't,
 * because a client with a limit of one request must be able to cancel it.
 */
export function needsResponseSlot({ path: address, query }: Pick<EndpointRequest, 'path' | 'query'>): boolean {
  return isStreamRequested(query) || address.endsWith('/input_items');
}

const isStreamRequested = (query: Query): boolean => query.get('stream') === 'true';

/** @throws RelayError */
function requireBackground(response: StoredResponse['response']): void {
  if (response['background'] === true) return;
  throw new RelayError('invalid_request', 'Only a background response can be canceled.', { param: 'response_id' });
}

/** @throws RelayError */
function startingAfter(query: Query): number {
  const after = Number(query.get('starting_after') ?? -1);
  if (Number.isSafeInteger(after) && after >= -1) return after;
  throw new RelayError('invalid_request', 'starting_after must be the sequence number of an event.', {
    param: 'starting_after',
  });
}

const finalStatuses: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/** Sends the final event of a response whose events are no longer stored. @throws RelayError */
function sendFinalEvent(client: ClientResponse, { response }: StoredResponse, after: number): void {
  const { background, status } = response;
  if (background !== true || !finalStatuses.has(status))
    throw new RelayError('invalid_request', 'This response was not created as a background stream.', {
      param: 'stream',
    });
  client.write(EVENT_STREAM, encodeEvent({ type: `response.${textOf(status)}`, response }, after + 1));
  client.end('');
}

function notFoundError(id: string): RelayError {
  return new RelayError('not_found', `There is no response ${id.slice(0, 80)}, or it is no longer stored.`, {
    param: 'response_id',
  });
}

interface DeleteAtVendorParts {
  snapshot: Snapshot;
  vendorTokens: VendorTokenCache;
}

type VendorResponseRef = Pick<StoredResponse, 'id' | 'channelId' | 'keyId'>;

/**
 * Returns a function that deletes a response at the provider in the background after the user has deleted it here. A
 * few deletions run at once, because a user can make any number of them wait for a slow provider; others wait.
 */
function createDeleteAtVendor(
  ctx: Pick<Context, 'log' | 'outbound'>,
  parts: DeleteAtVendorParts,
): (stored: VendorResponseRef) => void {
  const waiting: VendorResponseRef[] = [];
  let running = 0;

  const runNext = async (): Promise<void> => {
    running += 1;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        // oxlint-disable-next-line no-await-in-loop -- limits how many run at once
        await deleteAtVendor(ctx, parts, next).catch((error: unknown) =>
          ctx.log.error({ err: error, channel_id: next?.channelId }, 'a response could not be deleted at its provider'),
        );
      }
    } finally {
      running -= 1;
    }
  };

  return ({ id, channelId, keyId }) => {
    if (channelId === undefined) return;
    if (waiting.length >= DELETIONS_WAITING_MAX) {
      ctx.log.warn({ channel_id: channelId, response_id: id }, 'too many deletions wait: a provider keeps a response');
      return;
    }
    // Not the whole row, whose texts can have megabytes.
    waiting.push({ id, channelId, keyId });
    if (running < DELETIONS_MAX) runInBackground(ctx.log, 'delete responses at their providers', runNext);
  };
}

async function deleteAtVendor(
  ctx: Pick<Context, 'log' | 'outbound'>,
  parts: DeleteAtVendorParts,
  { id, channelId, keyId }: VendorResponseRef,
): Promise<void> {
  const channel = channelId === undefined ? undefined : parts.snapshot.channel(channelId);
  const key = channel && findAccountKey(channel, { keyId });
  if (channel === undefined || key === undefined) return;
  const account = await parts.vendorTokens.signIn(key.target, channel.proxy);
  const request = planResponseDeletion({ ...account, model: '' }, id);
  if (request === undefined) return;
  const signal = AbortSignal.timeout(DELETE_TIMEOUT_MS);
  const { status, body } = await ctx.outbound.open({ method: 'DELETE', ...request, proxy: channel.proxy, signal });
  if (status >= 400 && status !== 404)
    ctx.log.warn({ channel_id: channelId, status }, 'a provider did not delete a response');
  await discardBody(body);
}

/** Reads a short body, so that its connection can be used again, and cancels any other. Never rejects. */
async function discardBody(body: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > DISCARDED_BYTES_MAX) return;
    }
  } catch {
    // Only the status matters.
  }
}
