/**
 * Stops a running request when its user or key is disabled or deleted, the key's text is replaced, its session has
 * ended, or its user may no longer choose the channel. What was delivered until then is charged.
 */

import type { ClientResponse } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';
import {
  channelChoiceError,
  isChannelAdministrator,
  isPinnedByCaller,
  type Principal,
  type RoleParts,
} from '../snapshot/authenticate.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';

export interface WatchRightsParts extends RoleParts {
  deadlines: Deadlines;
  snapshot: Snapshot;
}

const CHECK_MS = 250;

/** Returns a function that stops the watch. */
export function watchRights(
  parts: WatchRightsParts,
  { client, principal }: { client: ClientResponse; principal: Principal },
): () => void {
  let isWatching = true;
  let isAuthorizing = false;
  const refuse = (refusal: RelayError): void => {
    if (isWatching) client.refuse(refusal);
    isWatching = false;
  };
  const authorizeAgain = async (): Promise<void> => {
    if (isAuthorizing) return;
    isAuthorizing = true;
    try {
      await principal.authorizeAgain?.();
    } catch (error) {
      // Any other error leaves the right unknown until the next check.
      if (error instanceof RelayError) refuse(error);
    } finally {
      isAuthorizing = false;
    }
  };
  const stop = parts.deadlines.repeat(CHECK_MS, () => {
    if (!isWatching) return undefined;
    const refusal = findLostRight(parts, principal);
    if (refusal !== undefined) refuse(refusal);
    else if (principal.authorizeAgain !== undefined) void authorizeAgain();
    return isWatching ? CHECK_MS : undefined;
  });
  return () => {
    isWatching = false;
    stop();
  };
}

function findLostRight(parts: WatchRightsParts, principal: Principal): RelayError | undefined {
  const { snapshot } = parts;
  const { key } = principal;
  const user = snapshot.user(principal.user.id);
  if (user?.enabled !== true || (key !== undefined && snapshot.keyByHash(key.hash)?.enabled !== true))
    return new RelayError(
      'api_key_disabled',
      'The API key of this request, or its user, was disabled or deleted. Use another key.',
    );
  return isPinnedByCaller(principal) && !isChannelAdministrator(parts, { user, key })
    ? channelChoiceError()
    : undefined;
}
