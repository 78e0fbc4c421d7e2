/**
 * Sends comment lines, or white space before a JSON array, while a stream waits, for clients and proxies that time
 * out on silence. Sent only if the token enables them: they fix the status at 200, so that a later failure arrives as
 * an error event.
 */
import { type ClientRequest, contentTypeOf } from '@switchyard/relay';
import type { KeyState } from '../snapshot/snapshot.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import type { ClientResponse } from './client-response.ts';

const INTERVAL_MS = 5_000;
const heartbeats: Readonly<Record<Exclude<ClientRequest['framing'], 'bytes'>, string>> = {
  sse: ': waiting\n\n',
  'json-array': '\n',
};

interface HeartbeatCall {
  client: Pick<ClientResponse, 'isDelivering' | 'hasLeft' | 'comment'>;
  request: Pick<ClientRequest, 'facts' | 'framing'>;
  principal: { key: Pick<KeyState, 'heartbeatSeconds'> | undefined };
}

/** Returns a function that stops the heartbeat. */
export function startHeartbeat(
  { deadlines }: { deadlines: Pick<Deadlines, 'repeat'> },
  { client, request, principal }: HeartbeatCall,
): () => void {
  const afterSeconds = principal.key?.heartbeatSeconds ?? 0;
  const { framing } = request;
  if (afterSeconds === 0 || !request.facts.stream || framing === 'bytes') return () => {};
  return deadlines.repeat(afterSeconds * 1000, () => {
    if (client.isDelivering || client.hasLeft) return undefined;
    client.comment(contentTypeOf(framing), heartbeats[framing]);
    return INTERVAL_MS;
  });
}
