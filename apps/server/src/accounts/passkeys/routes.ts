import type { passkeys } from '@switchyard/contract/accounts/passkeys';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createAddressLimit } from '../../platform/limits/rate-limit.ts';
import { requireCredential } from '../authentication/authentication.ts';
import { publishFactorChange, removeOrphanRecoveryCodes } from '../second-factor/second-factor.ts';
import { mailOwner } from '../security-mails/security-mails.ts';
import { completeSignIn } from '../sign-in/sign-in.ts';
import {
  beginAssertion,
  beginRegistration,
  checkAssertion,
  finishRegistration,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from './passkeys.ts';

const TRIES_PER_ADDRESS = 60;
const WINDOW_MS = 20 * 60_000;

export function passkeyRoutes(ctx: Context): Handlers<typeof passkeys> {
  const byAddress = createAddressLimit(ctx, 'passkey sign-ins from this address', TRIES_PER_ADDRESS, WINDOW_MS);
  return {
    beginRegistration: async ({ body }, call) => ({
      publicKey: await beginRegistration(ctx, call, call.caller, body.alias),
    }),
    finishRegistration: async ({ body }, call) => {
      await finishRegistration(ctx, call, call.caller, body);
      await publishFactorChange(ctx, call.caller.userId);
      await audit(ctx, call, { action: 'passkey.add', target: `user:${call.caller.userId}` });
      await mailOwner(ctx, call.caller.userId, 'factor-added', { kind: 'passkey' });
    },
    beginSignIn: async (_input, call) => {
      await byAddress.consume(call.address);
      return { publicKey: await beginAssertion(ctx, call) };
    },
    finishSignIn: async ({ body }, call) => {
      await byAddress.consume(call.address);
      const userId = await checkAssertion(ctx, call, body);
      const self = await completeSignIn(ctx, call, userId, 'passkey');
      await audit(ctx, call, { action: 'session.start', target: `user:${self.id}`, detail: { by: 'passkey' } });
      return self;
    },
    list: (_input, { caller }) => listPasskeys(ctx, caller),
    rename: async ({ params, body }, call) => {
      await renamePasskey(ctx, call.caller, params.id, body.alias);
      await audit(ctx, call, {
        action: 'passkey.rename',
        target: `user:${call.caller.userId}`,
        detail: { passkey: params.id, alias: body.alias },
      });
    },
    remove: async ({ params }, call) => {
      await ctx.db.writer.transaction().execute(async (trx) => {
        await requireCredential(ctx, trx, call.caller);
        await removePasskey(trx, call.caller, params.id);
        await removeOrphanRecoveryCodes(trx, call.caller.userId);
      });
      await publishFactorChange(ctx, call.caller.userId);
      await audit(ctx, call, { action: 'passkey.remove', target: `user:${call.caller.userId}` });
      await mailOwner(ctx, call.caller.userId, 'factor-removed', { kind: 'passkey' });
    },
  };
}
