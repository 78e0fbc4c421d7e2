import type { secondFactor } from '@switchyard/contract/accounts/second-factor';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import { endAllSessions, isKnownDevice } from '../authentication/authentication.ts';
import { mailOwner } from '../security-mails/security-mails.ts';
import { findPendingSignIn, finishSignIn, signInExpired } from '../sign-in/sign-in.ts';
import { checkMayChangeUser } from '../users/users.ts';
import {
  beginTotp,
  countSecondFactors,
  finishTotp,
  readSecondFactorState,
  removeAllFactors,
  removeTotp,
  replaceRecoveryCodes,
} from './second-factor.ts';

const TRIES = 10;
const WINDOW_MS = 10 * 60_000;

export function secondFactorRoutes(ctx: Context): Handlers<typeof secondFactor> {
  const tries = createRateLimit(ctx, 'second-factor codes', TRIES, WINDOW_MS);
  /**
   * Counts a try. Each browser that the owner has signed in with has tries of its own, so that others who know the
   * password cannot use them up.
   * @returns the key to reset after a correct code
   */
  const countTry = async (userId: number, device: string): Promise<string> => {
    const key = (await isKnownDevice(ctx, userId, device)) ? `${userId} ${device}` : String(userId);
    await tries.consume(key);
    return key;
  };
  return {
    state: (_input, { caller }) => readSecondFactorState(ctx, caller),
    beginTotp: (_input, call) => beginTotp(ctx, call),
    finishTotp: async ({ body }, call) => {
      const key = await countTry(call.caller.userId, call.deviceHash());
      const recovery_codes = await finishTotp(ctx, call, body.code);
      tries.reset(key);
      await audit(ctx, call, { action: 'totp.add', target: `user:${call.caller.userId}` });
      await mailOwner(ctx, call.caller.userId, 'factor-added', { kind: 'totp' });
      return { recovery_codes };
    },
    removeTotp: async (_input, call) => {
      // Without a factor, repeated calls would flood the mail queue.
      if (!(await removeTotp(ctx, call.caller))) return;
      await audit(ctx, call, { action: 'totp.remove', target: `user:${call.caller.userId}` });
      await mailOwner(ctx, call.caller.userId, 'factor-removed', { kind: 'totp' });
    },
    makeRecoveryCodes: async (_input, call) => {
      const recovery_codes = await replaceRecoveryCodes(ctx, call.caller);
      await audit(ctx, call, { action: 'recovery-codes.replace', target: `user:${call.caller.userId}` });
      return { recovery_codes };
    },
    waiting: async (_input, call) => {
      const waiting = await findPendingSignIn(ctx, call);
      if (waiting === undefined) return { code: false, passkey: false };
      const factors = await countSecondFactors(ctx, waiting.userId);
      return { code: factors.totp || factors.recoveryCodes > 0, passkey: factors.passkeys > 0 };
    },
    signIn: async ({ body }, call) => {
      const waiting = await findPendingSignIn(ctx, call);
      if (waiting === undefined) throw signInExpired();
      const key = await countTry(waiting.userId, call.deviceHash());
      const self = await finishSignIn(ctx, call, waiting, body.code);
      tries.reset(key);
      await audit(ctx, call, { action: 'session.start', target: `user:${self.id}`, detail: { by: waiting.method } });
      return self;
    },
    reset: async ({ params }, call) => {
      await checkMayChangeUser(ctx, call.caller, params.id);
      const isRemoved = await removeAllFactors(ctx, params.id);
      await endAllSessions(ctx, params.id);
      await audit(ctx, call, { action: 'user.reset-second-factor', target: `user:${params.id}` });
      if (isRemoved) await mailOwner(ctx, params.id, 'factor-removed', { kind: 'totp' });
    },
  };
}
