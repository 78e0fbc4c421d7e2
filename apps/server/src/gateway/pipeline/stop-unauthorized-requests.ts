/**
 * Stops a running request when its user or key is disabled or deleted, the key has expired, may no longer be used from
 * the client's address or has another text, its session has ended, or its user may no longer choose the channel. What
 * was delivered until then is charged.
 */

import { nowSeconds } from '../../platform/clock.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';
import {
  channelChoiceError,
  isChannelAdministrator,
  isPinnedByCaller,
  type Principal,
  type RoleParts,
} from '../snapshot/authenticate-api-key.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import { findKeyRefusal } from './admit-request.ts';

export interface WatchRightsParts extends RoleParts {
  deadlines: Deadlines;
  snapshot: Snapshot;
}

const CHECK_MS = 250;

/** Returns a function that stops the watch. */
export function watchRights(
  parts: WatchRightsParts,
  { client, principal, address }: { client: ClientResponse; principal: Principal; address: string },
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
    const refusal = findLostRight(parts, principal, address);
    if (refusal !== undefined) refuse(refusal);
    else if (principal.authorizeAgain !== undefined) void authorizeAgain();
    return isWatching ? CHECK_MS : undefined;
  });
  return () => {
    isWatching = false;
    stop();
  };
}

function findLostRight(parts: WatchRightsParts, principal: Principal, address: string): RelayError | undefined {
  const { snapshot } = parts;
  const user = snapshot.user(principal.user.id);
  const key = principal.key && snapshot.keyByHash(principal.key.hash);
  if (user?.enabled !== true)
    return new RelayError('api_key_disabled', 'Your account was disabled or deleted. Ask an administrator.');
  if (principal.key !== undefined && key === undefined)
    return new RelayError(
      'api_key_disabled',
      `The token "${principal.key.name}" was deleted, or its key replaced. Use another key.`,
    );
  const refusal = key && findKeyRefusal(key, address, nowSeconds(parts.clock));
  if (refusal !== undefined) return refusal;
  return isPinnedByCaller(principal) && !isChannelAdministrator(parts, { ...principal, user })
    ? channelChoiceError()
    : undefined;
}
