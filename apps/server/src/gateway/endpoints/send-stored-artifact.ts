/** Sends an artifact from the operator's store. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Artifacts, ByteRange, StoredArtifact } from '../../artifacts/artifacts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { type ClientResponse, untrustedContentHeaders } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';

export interface SendStoredArtifactParts {
  artifactStore: Artifacts;
  clock: Clock;
  log: Log;
}

const TOTAL_MS = 1_800_000;
const IDLE_MS = 60_000;

export interface ArtifactInbound {
  message: IncomingMessage;
  response: ServerResponse;
  client: ClientResponse;
  requestId: string;
}

/** Returns the headers of every artifact. */
export function protectiveHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'access-control-allow-origin': '*', ...untrustedContentHeaders };
}

/** @returns false when it is not in the store; then nothing is sent. @throws RelayError `work_expired` */
export async function sendStoredArtifact(
  parts: SendStoredArtifactParts,
  { message, response, client, requestId }: ArtifactInbound,
  work: StoredArtifact,
): Promise<boolean> {
  if (parts.artifactStore.isExpired(work))
    throw new RelayError('work_expired', 'This result has been deleted after its time of storage. Run the task again.');
  if (work.media_type === '') return false;
  const head = {
    ...protectiveHeaders(requestId),
    'content-type': work.media_type,
    'accept-ranges': 'bytes',
    etag: `"${work.id}"`,
  };
  const range = parseRange(message.headers.range, work.bytes);
  if (range === 'beyond') {
    response.writeHead(416, { ...head, 'content-range': `bytes */${work.bytes}`, 'content-length': 0 });
    response.end();
    return true;
  }
  const { from, to } = range ?? { from: 0, to: work.bytes - 1 };
  const over = new AbortController();
  const total = parts.clock.after(TOTAL_MS, () => over.abort()).unref();
  const body = await parts.artifactStore.read(work, { from, to }, over.signal).catch((error: unknown) => {
    parts.log.error({ err: error, task: work.task_id }, 'a stored artifact is missing from its store');
  });
  if (body === undefined) {
    total.close();
    return false;
  }
  response.writeHead(range === undefined ? 200 : 206, {
    ...head,
    ...(range === undefined ? {} : { 'content-range': `bytes ${from}-${to}/${work.bytes}` }),
    'content-length': to - from + 1,
  });
  client.onLeave = () => over.abort();
  if (client.hasLeft || client.stopReason !== undefined) over.abort();
  response.setTimeout(IDLE_MS, () => over.abort());
  // The client detects a broken response by its content length.
  await pipeline(body, response, { signal: over.signal }).catch(() => client.disconnect());
  total.close();
  return true;
}

/** Returns undefined when the whole artifact is sent, as for several ranges at once. */
function parseRange(header: string | undefined, bytes: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  return from > to ? 'beyond' : { from, to };
}
