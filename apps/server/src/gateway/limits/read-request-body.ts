/** Reads the whole body of a relayed request, with a size limit and an inactivity timeout. */
import type { IncomingMessage } from 'node:http';
import { BytePieces } from '@switchyard/relay';
import { DEPTH_MAX, describeType, exceededLimit, FIELD_NAME_MAX, isObject, parseJson } from '@switchyard/relay/json';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencySlot } from './concurrency-limiter.ts';

/** Maximum number of tiny pieces: each costs as much as a large one, and no genuine client sends so many. */
const SMALL_PIECES_MAX = 10_000;
const PIECE_MIN_BYTES = 16;
/** Maximum bytes of a body that is not relayed, also of callers without a key: parsing one takes a millisecond. */
const SMALL_BODY_MAX_BYTES = 65_536;
/**
 * Maximum values of a body that is not relayed: a list of ids, or a task as its provider reports it. Parsing an object
 * with a hundred thousand fields would block the process for a tenth of a second, for callers without a key, too.
 */
const SMALL_BODY_MAX_VALUES = 10_000;
const IDS_MAX = 100;

/**
 * @param slot counts the bytes while the request runs
 * @throws RelayError `request_too_large`, `overloaded` when the memory budget is used up, or `invalid_request` when
 * the client disconnects, stalls or sends too many tiny pieces
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  slot: Pick<ConcurrencySlot, 'grow'>,
): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  const tooLarge = (): RelayError => {
    const body = declared > maxBytes ? `The body of ${declared} bytes` : 'The body';
    const message = `${body} exceeds the limit of ${maxBytes} bytes. Send less, or pass files by URL.`;
    return new RelayError('request_too_large', message);
  };
  if (declared > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const held = new BytePieces();
    let size = 0;
    let pieces = 0;
    let refused = false;
    request.on('data', (chunk: Buffer) => {
      pieces += 1;
      size += chunk.length;
      if (pieces > SMALL_PIECES_MAX && size < pieces * PIECE_MIN_BYTES) {
        const message = 'The request body arrives in chunks that are too small. Send larger chunks.';
        reject(new RelayError('invalid_request', message));
        request.destroy();
        return;
      }
      // The rest of a refused body is read and discarded; otherwise the client could not read the refusal.
      if (refused) return;
      try {
        if (size > maxBytes) throw tooLarge();
        slot.grow(chunk.length, 'upload');
        held.push(chunk);
      } catch (error) {
        refused = true;
        held.clear();
        reject(error);
      }
    });
    request.on('end', () => resolve(held.whole()));
    const rejectIncomplete = (): void => {
      const received = declared > 0 ? `${size} of ${declared}` : size;
      const message = `The connection closed after ${received} bytes of the body. Send the request again.`;
      reject(new RelayError('invalid_request', message));
    };
    request.on('error', rejectIncomplete);
    request.on('close', () => {
      if (!request.complete) rejectIncomplete();
    });
  });
}

/** Small bodies are not counted in the memory budget; the callers' concurrency slots bound them. */
const uncounted = { grow: () => {} };

/** Resolves with the body of a request that is not relayed. @throws RelayError */
export async function readSmallBody(message: IncomingMessage): Promise<Record<string, unknown>> {
  const text = (await readBody(message, SMALL_BODY_MAX_BYTES, uncounted)).toString('utf8');
  const exceeded = exceededLimit(text, { depth: DEPTH_MAX, values: SMALL_BODY_MAX_VALUES });
  if (exceeded === 'depth')
    throw new RelayError('invalid_request', `The body is nested deeper than ${DEPTH_MAX} levels.`);
  if (exceeded === 'name')
    throw new RelayError('invalid_request', `A field name has more than ${FIELD_NAME_MAX} characters. Shorten it.`);
  if (exceeded === 'values') {
    const message = `The body contains more than ${SMALL_BODY_MAX_VALUES} values. Send fewer at once.`;
    throw new RelayError('request_too_large', message);
  }
  if (text === '') throw new RelayError('invalid_request', 'The request body is empty. Send JSON.');
  let reason = '';
  const body = parseJson(text, (found) => {
    reason = found;
  });
  if (body === undefined) throw new RelayError('invalid_request', `The request body is not valid JSON${reason}.`);
  if (!isObject(body))
    throw new RelayError('invalid_request', `The request body must be a JSON object, not ${describeType(body)}.`);
  return body;
}

/** Resolves with the ids of the tasks that a request names. @throws RelayError */
export async function readTaskIds(message: IncomingMessage): Promise<string[]> {
  const { ids } = await readSmallBody(message);
  if (Array.isArray(ids) && ids.length <= IDS_MAX && ids.every((id) => typeof id === 'string')) return ids;
  throw new RelayError('invalid_request', `ids must be a list of at most ${IDS_MAX} ids.`, { param: 'ids' });
}
