/** `GET` and `DELETE /v1/responses/{id}` and `GET …/input_items`: what is kept of an answer. */
import type { IncomingMessage } from 'node:http';
import { forgetResponseRequest } from '@switchyard/relay';
import type { Context } from '../context.ts';
import {
  conversationUpTo,
  findResponse,
  removeResponse,
  type StoredResponse,
} from '../features/stored-responses/stored-responses.ts';
import { inBackground } from '../platform/log.ts';
import { admitCaller } from './admit.ts';
import { type Answering, answerError } from './answer.ts';
import type { Principal } from './authenticate.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { Place } from './places.ts';
import { RelayError } from './relay-error.ts';
import { keyOf } from './stored-responses.ts';

const path = /^\/v1\/responses\/([^/]{1,256})(\/input_items)?$/;
const PAGE_MAX = 100;
const PAGE_DEFAULT = 20;
const DELETE_TIMEOUT_MS = 10_000;

interface Lookup extends Answering {
  message: IncomingMessage;
  path: string;
  query: URLSearchParams;
  address: string;
}

export interface ResponseLookups {
  serves(method: string | undefined, path: string): boolean;
  /** Answers the client in every case; never rejects. Limited like any request. */
  answer(lookup: Lookup): Promise<void>;
}

export function createResponseLookups(
  ctx: Pick<Context, 'db' | 'clock' | 'settings' | 'log' | 'outbound'>,
  parts: GatewayParts,
  identify: (message: IncomingMessage) => Principal,
): ResponseLookups {
  /** What the user deletes is not to be left with the vendor either; nobody waits for that. */
  const forgetAtVendor = (stored: StoredResponse): void => {
    const { id, channelId } = stored;
    const channel = channelId === undefined ? undefined : parts.snapshot.channel(channelId);
    const key = channel && keyOf(channel, stored);
    if (channel === undefined || key === undefined) return;
    const { target } = key;
    const { proxy } = channel;
    inBackground(ctx.log, 'delete a response at its vendor', async () => {
      const account = await parts.vendorTokens.signedIn(target, proxy);
      const request = forgetResponseRequest({ ...account, model: '' }, id);
      if (request === undefined) return;
      const { status } = await ctx.outbound.fetchJson({
        method: 'DELETE',
        ...request,
        proxy,
        timeoutMs: DELETE_TIMEOUT_MS,
      });
      if (status >= 400 && status !== 404)
        ctx.log.warn({ channel_id: channelId, status }, 'a vendor did not delete a response');
    });
  };

  const lookUp = async (
    { message, query }: Lookup,
    [, id = '', items]: RegExpExecArray,
    { user }: Principal,
    place: Place,
  ) => {
    if (message.method === 'DELETE') {
      const stored = await findResponse(ctx, user.id, id);
      if (stored === undefined) throw notFound(id);
      await removeResponse(ctx, user.id, id);
      forgetAtVendor(stored);
      return { id, object: 'response', deleted: true };
    }
    if (query.get('stream') === 'true')
      throw new RelayError('invalid_request', 'A kept response cannot be streamed.', { param: 'stream' });
    const grow = (bytes: number): void => place.grow(bytes);
    const stored = await findResponse(ctx, user.id, id, grow);
    if (stored === undefined) throw notFound(id);
    if (items === undefined) return stored.response;
    const turns = await conversationUpTo(ctx, user.id, id, grow);
    return itemPage(turns ?? [stored], query);
  };

  return {
    serves: (method, address) => (method === 'GET' || method === 'DELETE') && path.test(address),
    async answer(lookup) {
      const { message, address, client } = lookup;
      let place: Place | undefined;
      try {
        const named = path.exec(lookup.path);
        if (named === null)
          throw new RelayError('not_found', `Invalid URL (${message.method} ${lookup.path})`);
        const principal = identify(message);
        place = parts.places.enter(principal, address);
        admitCaller(parts, principal, address);
        const answer = await lookUp(lookup, named, principal, place);
        client.send(200, 'application/json; charset=utf-8', JSON.stringify(answer));
      } catch (error) {
        answerError(ctx.log, lookup, error);
      } finally {
        place?.leave();
      }
    },
  };
}

/** What the model was shown for an answer, the newest first unless asked otherwise. */
function itemPage(turns: readonly StoredResponse[], query: URLSearchParams) {
  const last = turns.at(-1);
  const shown = turns.flatMap((turn) => [
    ...turn.input,
    ...(turn === last || !Array.isArray(turn.response['output']) ? [] : turn.response['output']),
  ]);
  const named = shown.map((item, index) => withId(item, index));
  const ordered = query.get('order') === 'asc' ? named : named.toReversed();
  const after = query.get('after');
  const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const limit = Math.min(Math.max(Number(query.get('limit') ?? PAGE_DEFAULT) || PAGE_DEFAULT, 1), PAGE_MAX);
  const data = ordered.slice(from, from + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < ordered.length,
  };
}

/** Clients need not name their items; pages need names. */
function withId(item: unknown, index: number): { id: string } {
  const fields = typeof item === 'object' && item !== null ? item : {};
  const given: unknown = 'id' in fields ? fields.id : undefined;
  const type = 'type' in fields ? {} : { type: 'message' };
  return { ...type, ...fields, id: typeof given === 'string' && given !== '' ? given : `item_${index}` };
}

function notFound(id: string): RelayError {
  return new RelayError('not_found', `There is no response ${id.slice(0, 80)}, or it is not kept any more.`, {
    param: 'response_id',
  });
}
