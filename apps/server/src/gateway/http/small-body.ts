import type { IncomingMessage } from 'node:http';
import { isObject, parseJson } from '@switchyard/relay/json';
import { readBody } from '../limits/request-body.ts';
import { RelayError } from './relay-error.ts';

const BODY_MAX_BYTES = 1_048_576;
const IDS_MAX = 100;

/** Small bodies are not counted in the memory budget; the callers' concurrency slots bound them. */
const uncounted = { grow: () => {} };

/** Resolves with the body of a request that is not relayed. @throws RelayError */
export async function readSmallBody(message: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await readBody(message, BODY_MAX_BYTES, uncounted);
  const body = parseJson(bytes.toString('utf8'));
  if (!isObject(body)) throw new RelayError('invalid_request', 'Send the body as a JSON object.');
  return body;
}

/** Resolves with the ids of the tasks that a request names. @throws RelayError */
export async function readTaskIds(message: IncomingMessage): Promise<string[]> {
  const { ids } = await readSmallBody(message);
  if (Array.isArray(ids) && ids.length <= IDS_MAX && ids.every((id) => typeof id === 'string')) return ids;
  throw new RelayError('invalid_request', `ids must be a list of at most ${IDS_MAX} ids.`, { param: 'ids' });
}
