import type { IncomingMessage } from 'node:http';
import type { Context } from '../context.ts';
import { identifyCaller } from '../features/sessions/sessions.ts';
import { AppError } from '../platform/app-error.ts';
import type { ClientAddress } from '../platform/client-address.ts';
import { checkSameOrigin } from '../platform/same-origin.ts';
import type { Principal } from './authenticate.ts';
import { RelayError } from './relay-error.ts';
import type { Snapshot } from './snapshot.ts';

/** The console's playground: the session pays, so the call must come from the console itself. */
export function createIdentifyBySession(
  ctx: Context,
  snapshot: Snapshot,
  clientAddress: ClientAddress,
): (message: IncomingMessage) => Promise<Principal> {
  return async (message) => {
    const caller = await identifyCaller(ctx, message.headers, clientAddress.isSecure(message));
    const user = caller === undefined ? undefined : snapshot.user(caller.userId);
    if (caller === undefined || user === undefined)
      throw new RelayError('invalid_api_key', 'Please sign in.');
    if (caller.impersonator !== undefined)
      throw new RelayError('channel_not_allowed', 'Acting as another user, you cannot spend their balance.');
    try {
      checkSameOrigin(message.headers, caller, ctx.config.publicUrl);
    } catch (error) {
      if (error instanceof AppError)
        throw new RelayError('channel_not_allowed', error.message, { cause: error });
      throw error;
    }
    return { user, key: undefined, pinnedChannelId: undefined };
  };
}
