/** A finished work itself, through here: where it lies, and with which key it is fetched, is nobody's business. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { readError, type Work, workCall } from '@switchyard/relay';
import type { TaskRow } from '../tasks/tasks.ts';
import { errorAfter } from './after-failure.ts';
import type { ClientResponse } from './client-response.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { RawAttempt } from './raw-attempt.ts';

const IDLE_MS = 60_000;
const TOTAL_MS = 1_800_000;
const CONNECT_MS = 10_000;

export interface WorkInbound {
  message: IncomingMessage;
  response: ServerResponse;
  client: ClientResponse;
  requestId: string;
}

/**
 * @param query of a work that lies at its account, such as which variant
 * @throws RelayError
 */
export async function sendWork(
  parts: GatewayParts,
  { message, response, client, requestId }: WorkInbound,
  task: TaskRow,
  work: Work,
  query = '',
): Promise<void> {
  const { target, proxy } = await parts.tasks.account(task.channel_id, task.channel_key_id);
  const call = workCall(target, work);
  const { range } = message.headers;
  const headers = {
    ...call.headers,
    'accept-encoding': 'identity',
    ...(range === undefined ? {} : { range }),
  };
  const attempt = new RawAttempt({
    response,
    client,
    idleMs: IDLE_MS,
    totalMs: TOTAL_MS,
    head: (answered) => headOf(answered, requestId),
  });
  try {
    parts.pool.dispatch(
      {
        url: call.url + query,
        headers: Object.entries(headers).flat(),
        method: 'GET',
        body: null,
        proxy,
        connectMs: CONNECT_MS,
      },
      attempt,
    );
  } catch (error) {
    attempt.onResponseError(undefined, error instanceof Error ? error : new Error('dispatch failed'));
  }
  const { status, headers: answered, error } = await attempt.done;
  if (error === undefined) {
    response.end();
    return;
  }
  throw errorAfter({
    outcome: 'failed',
    error: readError(target, status, answered, error),
    status,
    meter: undefined,
    isDelivered: false,
    firstContentAt: 0,
    lost: [],
  });
}

const passed = ['content-length', 'content-range', 'accept-ranges', 'last-modified', 'etag'];
const workType = /^(?:video|image|audio)\/[\w.+-]{1,60}$/;

/** What a browser gets here is a film, a picture or a song, and nothing that it would act on. */
function headOf(answered: IncomingHttpHeaders, requestId: string): Record<string, string> {
  const told = passed.flatMap((name) => {
    const value = answered[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const type = answered['content-type'] ?? '';
  return {
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    'content-type': workType.test(type) && type !== 'image/svg+xml' ? type : 'application/octet-stream',
    ...Object.fromEntries(told),
  };
}
