/** Authenticates callers with the console's session or an access token on relay routes. */
import type { IncomingMessage } from 'node:http';
import type { Right } from '@switchyard/contract/accounts/permissions';
import { hasChannelRights } from '../../accounts/api-keys/api-keys.ts';
import { identifyCaller, type SessionUse } from '../../accounts/authentication/authentication.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { type AccessRequirements, authorize } from '../../platform/http/authorize.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Principal } from './authenticate-api-key.ts';
import type { Snapshot } from './snapshot.ts';

/** Requirements of a route on a session. Any of the rights suffices; a refusal names the last one. */
export type SessionDemand = Pick<AccessRequirements, 'method'> & { access: readonly [...Right[], Right] };

/** @throws RelayError when the caller may not use the route */
export type IdentifySession = (
  message: IncomingMessage,
  demand: SessionDemand,
  use?: SessionUse,
) => Promise<{ caller: Caller; principal: Principal }>;

export function createIdentifySession(ctx: Context, snapshot: Snapshot, clientAddress: ClientAddress): IdentifySession {
  const identify: IdentifySession = async (message, demand, use) => {
    const { method, access } = demand;
    const { headers } = message;
    const secure = clientAddress.isSecure(message);
    const caller = await identifyCaller(ctx, headers, secure, use);
    const right = access.find((one) => caller !== undefined && hasAccess(caller, one)) ?? access.at(-1) ?? 'root';
    try {
      authorize({ method, access: right }, caller, { headers, secure, publicUrl: ctx.config.publicUrl });
    } catch (error) {
      throw error instanceof AppError ? toRelayError(error) : error;
    }
    const user = caller === undefined ? undefined : snapshot.user(caller.userId);
    if (caller === undefined || user === undefined)
      throw new RelayError('invalid_api_key', 'You are not signed in. Sign in again.');
    const authorizeAgain = (): Promise<unknown> => identify(message, demand, 'check');
    const canChooseChannel = hasChannelRights(caller);
    return {
      caller,
      principal: { user, key: undefined, pinnedChannelId: undefined, canChooseChannel, authorizeAgain },
    };
  };
  return identify;
}

function toRelayError(error: AppError): RelayError {
  const isUnknown = error.code === 'not-signed-in' || error.code === 'impersonation-over';
  return new RelayError(isUnknown ? 'invalid_api_key' : 'channel_not_allowed', error.message.replace(/\.?$/, '.'), {
    cause: error,
  });
}
