/**
 * Comment lines for a stream that waits, for clients and proxies that give up on silence. Sent only where the token
 * asks for them: they fix the status at 200, so a failure after them arrives as an error event.
 */
import type { ClientRequest } from '@switchyard/relay';
import type { Clock } from '../platform/clock.ts';
import type { Principal } from './authenticate.ts';
import type { ClientResponse } from './client-response.ts';
import type { Deadlines } from './deadlines.ts';

const INTERVAL_MS = 5_000;

/** Returns what stops it. */
export function startHeartbeat(
  { deadlines, clock }: { deadlines: Deadlines; clock: Clock },
  { client, request, principal }: { client: ClientResponse; request: ClientRequest; principal: Principal },
): () => void {
  const afterSeconds = principal.key?.heartbeatSeconds ?? 0;
  if (afterSeconds === 0 || !request.facts.stream) return () => {};
  const wait = {
    at: clock.elapsed() + afterSeconds * 1000,
    expire() {
      if (client.delivering || client.left) return;
      client.comment(': waiting\n\n');
      wait.at = clock.elapsed() + INTERVAL_MS;
      deadlines.add(wait);
    },
  };
  deadlines.add(wait);
  return () => deadlines.remove(wait);
}
