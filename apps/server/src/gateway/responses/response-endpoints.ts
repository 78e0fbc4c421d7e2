/** `GET` and `DELETE /v1/responses/{id}`, `GET …/input_items` and `POST …/cancel`: what is kept of an answer, or being made. */
import type { Context } from '../../context.ts';
import {
  conversationUpTo,
  findResponse,
  removeResponse,
  type StoredResponse,
} from '../../responses/responses.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { createForgetAtVendor, type DeleteAtVendorParts } from '../endpoints/delete-at-vendor.ts';
import type { Lookup } from '../endpoints/task-endpoint.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { listPage, pageAsked } from '../http/list-page.ts';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import type { BackgroundResponses } from './background-responses.ts';
import { EVENT_STREAM, writtenEvent } from './response-events.ts';

/** Parts of the gateway that the functions below need. */
export interface ResponseEndpointsParts extends DeleteAtVendorParts {
  tasks: Tasks;
}

const path = /^\/v1\/responses\/([^/]{1,256})(\/input_items|\/cancel)?$/;
const PAGE_MAX = 100;
const PAGE_DEFAULT = 20;

export interface ResponseLookups {
  serves(method: string, path: string): boolean;
  /** @returns JSON; undefined once a stream was sent. @throws RelayError */
  lookUp: (principal: Principal, lookup: Lookup, place: ConcurrencySlot) => Promise<string | undefined>;
}

export function createResponseLookups(
  ctx: Pick<Context, 'db' | 'clock' | 'settings' | 'log' | 'outbound'>,
  parts: ResponseEndpointsParts,
  background: BackgroundResponses,
): ResponseLookups {
  const forgetAtVendor = createForgetAtVendor(ctx, parts);

  const answerTo = async (
    { client, message, query }: Lookup,
    [, id = '', below]: RegExpExecArray,
    { user }: Principal,
    place: ConcurrencySlot,
  ) => {
    if (message.method === 'POST') {
      await background.cancel(user.id, id);
      return cancelled(await findResponse(ctx, user.id, id), id);
    }
    if (message.method === 'DELETE') {
      await background.cancel(user.id, id);
      const stored = await findResponse(ctx, user.id, id);
      const task = await parts.tasks.find(user.id, id);
      if (stored === undefined) throw notFound(id);
      await removeResponse(ctx, user.id, id);
      // One in the background has another name with its vendor.
      forgetAtVendor({ ...stored, id: task?.upstream_id ?? id });
      if (task?.client_format === 'openai-responses') await parts.tasks.remove(id);
      return { id, object: 'response', deleted: true };
    }
    const isStream = below === undefined && isFollowed(query);
    const after = isStream ? startingAfter(query) : -1;
    const grow = (bytes: number): void => place.grow(bytes);
    const stored = await findResponse(ctx, user.id, id, grow);
    if (stored === undefined) throw notFound(id);
    if (isStream) return background.follow(user.id, id, client, after) ?? sendEnd(client, stored, after);
    if (below === undefined) return stored.response;
    const turns = await conversationUpTo(ctx, user.id, id, grow);
    return itemPage(turns ?? [stored], query);
  };

  return {
    serves(method, address) {
      const [known, , below] = path.exec(address) ?? [];
      if (known === undefined) return false;
      return below === '/cancel'
        ? method === 'POST'
        : method === 'GET' || (method === 'DELETE' && below === undefined);
    },
    async lookUp(principal, lookup, place) {
      const named = path.exec(lookup.path);
      if (named === null) throw notFound(lookup.path);
      const answer = await answerTo(lookup, named, principal, place);
      return answer === undefined ? undefined : JSON.stringify(answer);
    },
  };
}

/** Returns whether the client follows events, and so takes a slot: whoever may run a single request must be able to cancel it. */
export function followsResponse({ query }: Pick<Lookup, 'query'>): boolean {
  return isFollowed(query);
}

const isFollowed = (query: URLSearchParams): boolean => query.get('stream') === 'true';

/** @throws RelayError */
function cancelled(stored: StoredResponse | undefined, id: string): StoredResponse['response'] {
  if (stored === undefined) throw notFound(id);
  if (stored.response['background'] === true) return stored.response;
  throw new RelayError('invalid_request', 'Only a background response can be canceled.', {
    param: 'response_id',
  });
}

/** @throws RelayError */
function startingAfter(query: URLSearchParams): number {
  const after = Number(query.get('starting_after') ?? -1);
  if (Number.isSafeInteger(after) && after >= -1) return after;
  throw new RelayError('invalid_request', 'starting_after must be the sequence number of an event.', {
    param: 'starting_after',
  });
}

const endings: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled']);

/** Sends the final event of a response whose events are no longer kept. @throws RelayError */
function sendEnd(client: ClientResponse, { response }: StoredResponse, after: number): undefined {
  const { background, status } = response;
  if (background !== true || !endings.has(status))
    throw new RelayError('invalid_request', 'This response was not created as a background stream.', {
      param: 'stream',
    });
  client.write(EVENT_STREAM, writtenEvent({ type: `response.${String(status)}`, response }, after + 1));
  client.end('');
  return undefined;
}

/** Returns a page of the items that the model received for a response, the newest first unless requested otherwise. */
function itemPage(turns: readonly StoredResponse[], query: URLSearchParams) {
  const last = turns.at(-1);
  const shown = turns.flatMap((turn) => [
    ...turn.input,
    ...(turn === last || !Array.isArray(turn.response['output']) ? [] : turn.response['output']),
  ]);
  const named = shown.map((item, index) => withId(item, index));
  const page = pageAsked(query, PAGE_DEFAULT, PAGE_MAX);
  const ordered = page.isAscending ? named : named.toReversed();
  const behind = page.after === undefined ? 0 : ordered.findIndex(({ id }) => id === page.after) + 1;
  return listPage(ordered.slice(behind), page);
}

/** Clients need not name their items; pages need names. */
function withId(item: unknown, index: number): { id: string } {
  const fields = typeof item === 'object' && item !== null ? item : {};
  const given: unknown = 'id' in fields ? fields.id : undefined;
  const type = 'type' in fields ? {} : { type: 'message' };
  return { ...type, ...fields, id: typeof given === 'string' && given !== '' ? given : `item_${index}` };
}

function notFound(id: string): RelayError {
  return new RelayError('not_found', `There is no response ${id.slice(0, 80)}, or it is no longer stored.`, {
    param: 'response_id',
  });
}
