import type { signUp } from '@switchyard/contract/accounts/sign-up';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { isMailConfigured } from '../../operations/mail/mail.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createAddressLimit, createRateLimit, type RateLimit } from '../../platform/limits/rate-limit.ts';
import { normalizeMailbox } from '../../platform/normalize-mailbox.ts';
import { readInviteCode } from '../invitations/invitations.ts';
import { resetPassword, sendResetLink } from '../password-reset/password-reset.ts';
import { checkRegistrationOpen, registerUser, runAfterRandomDelay } from './sign-up.ts';
import { createCaptchaCheck } from './turnstile.ts';
import { checkEmailDomain, sendMailCode } from './verification-codes.ts';

const TRIES_PER_ADDRESS = 20;
const TRIES_WINDOW_MS = 20 * 60_000;
const MAILS_PER_HOUR = 5;
const MAIL_PAUSE_MS = 30_000;

export function signUpRoutes(ctx: Context): Handlers<typeof signUp> {
  const tries = createAddressLimit(
    ctx,
    'sign-up and password requests from this address',
    TRIES_PER_ADDRESS,
    TRIES_WINDOW_MS,
  );
  const checkHuman = createCaptchaCheck(ctx);
  const codes = createMailLimit(ctx, 'verification codes');
  const links = createMailLimit(ctx, 'reset links');
  return {
    register: async ({ query, body }, call) => {
      await tries.consume(call.address);
      await checkHuman(query.turnstile, call.address, 'register');
      const userId = await registerUser(ctx, call, body);
      await audit(ctx, call, { action: 'user.register', target: `user:${userId}` });
    },
    sendCode: async ({ query }, call) => {
      await tries.consume(call.address);
      checkCanMail(ctx);
      checkEmailDomain(ctx, query.email);
      // A signed-in caller verifies another address.
      if (call.caller === undefined) {
        await checkRegistrationOpen(ctx);
        await checkHuman(query.turnstile, call.address, 'register');
      }
      await codes.consume(query.email);
      const device = call.deviceHash();
      const callerId = call.caller?.userId;
      runAfterRandomDelay(ctx, () => sendMailCode(ctx, device, { ...query, callerId }));
    },
    sendResetLink: async ({ query }, call) => {
      await tries.consume(call.address);
      checkCanMail(ctx);
      await checkHuman(query.turnstile, call.address, 'reset');
      await links.consume(query.email);
      runAfterRandomDelay(ctx, () => sendResetLink(ctx, query.email));
    },
    resetPassword: async ({ body }, call) => {
      await tries.consume(call.address);
      const userId = await resetPassword(ctx, call, body);
      await audit(ctx, call, { action: 'user.reset-password', target: `user:${userId}` });
    },
    inviteCode: (_input, { caller }) => readInviteCode(ctx, caller.userId),
  };
}

/** Limits mails per mailbox, against mail bombing. The same for addresses with and without an account. */
function createMailLimit(ctx: Context, what: string): Pick<RateLimit, 'consume'> {
  const pause = createRateLimit(ctx, `${what} mailed to this address within 30 seconds`, 1, MAIL_PAUSE_MS);
  const hour = createRateLimit(ctx, `${what} mailed to this address`, MAILS_PER_HOUR, 3_600_000);
  return {
    async consume(email) {
      const key = normalizeMailbox(email);
      await pause.consume(key);
      await hour.consume(key);
    },
  };
}

function checkCanMail(ctx: Context): void {
  if (isMailConfigured(ctx)) return;
  throw new AppError('not-set-up', 'This site cannot send email because its operator has not configured it');
}
