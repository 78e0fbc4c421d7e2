/**
 * Stops a running request when its user or key is disabled or deleted, or the key's text is replaced. What was
 * delivered until then is charged.
 */

import type { ClientResponse } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Deadlines } from '../upstream/deadlines.ts';

const CHECK_MS = 250;

/** Returns a function that stops the watch. */
export function watchRights(
  { deadlines, snapshot }: { deadlines: Deadlines; snapshot: Snapshot },
  { client, principal }: { client: ClientResponse; principal: Principal },
): () => void {
  return deadlines.repeat(CHECK_MS, () => {
    if (mayStillRun(snapshot, principal)) return CHECK_MS;
    client.stop(new RelayError('api_key_disabled', 'The API key or user of this request is no longer active.'));
    return undefined;
  });
}

function mayStillRun(snapshot: Snapshot, { user, key }: Principal): boolean {
  if (snapshot.user(user.id)?.enabled !== true) return false;
  return key === undefined || snapshot.keyByHash(key.hash)?.enabled === true;
}
