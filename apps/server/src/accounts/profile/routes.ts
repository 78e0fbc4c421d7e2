import type { profile } from '@switchyard/contract/accounts/profile';
import type { Context } from '../../context.ts';
import { audit, diffRecords } from '../../operations/audit/audit.ts';
import { queueMail } from '../../operations/mail/mail.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Impersonator } from '../../platform/http/caller.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import { buildClearedCookie, endAllSessions } from '../authentication/authentication.ts';
import { mailOwner } from '../security-mails/security-mails.ts';
import { checkRemovable, chooseMailLanguage, removeAccount, requireUser } from '../users/users.ts';
import { exportAccount } from './export-account.ts';
import { bindEmail, endOwnSession, listSessions, readAvatar, readSelf, setAvatar, updateProfile } from './profile.ts';
import { listStepUpMethods, stepUp } from './step-up.ts';

const PROOF_TRIES = 10;
const PROOF_WINDOW_MS = 10 * 60_000;

/** Returns the remaining seconds, because a browser's clock may be wrong. */
function presentImpersonator(ctx: Context, { username, until }: Impersonator) {
  return { by: username, seconds_left: until - nowSeconds(ctx.clock) };
}

export function profileRoutes(ctx: Context): Handlers<typeof profile> {
  const proofTries = createRateLimit(ctx, 'confirmations of your identity', PROOF_TRIES, PROOF_WINDOW_MS);
  return {
    get: async (_input, { caller: { userId, impersonator } }) => ({
      ...(await readSelf(ctx, userId)),
      impersonation: impersonator === undefined ? null : presentImpersonator(ctx, impersonator),
    }),
    update: async ({ body }, call) => {
      if (body.password !== undefined) await proofTries.consume(String(call.caller.userId));
      const before = await readSelf(ctx, call.caller.userId);
      const self = await updateProfile(ctx, call.caller, body);
      const changes = diffRecords(before, self, ['username', 'display_name', 'language', 'notices']);
      if (Object.keys(changes).length > 0)
        await audit(ctx, call, { action: 'profile.update', target: `user:${self.id}`, detail: { changes } });
      if (body.password !== undefined) {
        await audit(ctx, call, { action: 'profile.password', target: `user:${self.id}` });
        await mailOwner(ctx, self.id, 'password-changed', {});
      }
      return self;
    },
    remove: async (_input, call) => {
      const user = await requireUser(ctx, call.caller.userId);
      await checkRemovable(ctx, user);
      // Queued while the address is still stored.
      await mailOwner(ctx, user.id, 'account-deleted', {});
      await removeAccount(ctx, user);
      await audit(ctx, call, { action: 'profile.delete', target: `user:${user.id}` });
      call.setCookie(buildClearedCookie('session', call.secure));
    },
    export: (_input, { caller }) => exportAccount(ctx, caller),
    setAvatar: async ({ body }, { caller }) => {
      await setAvatar(ctx, caller, body.image);
      return readSelf(ctx, caller.userId);
    },
    avatar: ({ params }, { caller }) => readAvatar(ctx, caller, params.id),
    bindEmail: async ({ query }, call) => {
      await proofTries.consume(String(call.caller.userId));
      const { before } = await bindEmail(ctx, call, query);
      await audit(ctx, call, { action: 'profile.email', target: `user:${call.caller.userId}` });
      if (before !== '' && before !== query.email) {
        const { language } = await readSelf(ctx, call.caller.userId);
        await queueMail(ctx, {
          to: before,
          template: 'email-changed',
          language: chooseMailLanguage(ctx, language),
          values: {},
        });
      }
    },
    stepUpWays: (_input, { caller }) => listStepUpMethods(ctx, caller),
    stepUp: async ({ body }, call) => {
      await proofTries.consume(String(call.caller.userId));
      await stepUp(ctx, call, body);
      proofTries.reset(String(call.caller.userId));
    },
    listSessions: (_input, { caller }) => listSessions(ctx, caller),
    endSession: async ({ params }, call) => {
      await endOwnSession(ctx, call.caller, params.id);
      await audit(ctx, call, { action: 'profile.end-session', target: `user:${call.caller.userId}` });
    },
    endSessions: async (_input, call) => {
      await endAllSessions(ctx, call.caller.userId);
      await audit(ctx, call, { action: 'session.end-all', target: `user:${call.caller.userId}` });
      call.setCookie(buildClearedCookie('session', call.secure));
    },
  };
}
