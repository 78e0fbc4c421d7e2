/** Self-registration of a user. */
import type { register as registerSchema } from '@switchyard/contract/accounts/sign-up';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import { checkPasswordIsUncommon } from '../../platform/secrets/password-hashing.ts';
import { findInviter } from '../invitations/invitations.ts';
import { createAccount, rootExists } from '../users/users.ts';
import { checkEmailDomain, consumeMailCode, restoreMailCode } from './verification-codes.ts';

export { testCaptcha } from './turnstile.ts';
export { checkEmailDomain } from './verification-codes.ts';

type Registration = z.output<typeof registerSchema>;

/**
 * Creates an account without signing in. While the site requires a verified address, only then is it revealed whether
 * a name or an address is in use.
 * @returns the new user's id
 * @throws AppError `switched-off`, `wrong-code`, `already-exists`, `invalid-input`
 */
export async function registerUser(
  ctx: Context,
  call: { deviceHash(): string },
  { username, password, email, verification_code, aff_code, language }: Registration,
): Promise<number> {
  await checkRegistrationOpen(ctx);
  checkPasswordIsUncommon(password);
  const inviterId = await findInviter(ctx, aff_code);
  if (ctx.settings.registerInviteOnly && inviterId === undefined)
    throw fieldError(
      'aff_code',
      'invitation-needed',
      'A valid invitation code is required. Ask the person who invited you.',
    );
  // Role and group are never taken from the input.
  const account = { username, password, inviterId, language, role: 'user', group: 'default' } as const;
  if (!ctx.settings.emailVerification) return createAccount(ctx, account);

  if (email === '') throw fieldError('email', 'required', 'An email address is required');
  checkEmailDomain(ctx, email);
  const proof = await consumeMailCode(ctx, call.deviceHash(), email, verification_code);
  try {
    return await createAccount(ctx, { ...account, email, emailIsProven: true });
  } catch (error) {
    // Allows another attempt with the same code, for instance after a taken name.
    await restoreMailCode(ctx, proof);
    throw error;
  }
}

/** @throws AppError `switched-off`, or `set-up-needed` before root's account, which must be the first */
export async function checkRegistrationOpen({ settings, db }: Context): Promise<void> {
  if (!(await rootExists(db.writer))) throw new AppError('set-up-needed', 'The root account must be created first');
  if (settings.registerEnabled && settings.passwordRegister) return;
  throw new AppError('switched-off', 'Registration is disabled');
}

const DELAY_MAX_MS = 500;

/**
 * Runs the work after a random delay, so that response times, also of later calls, do not reveal whether it ran.
 * Failures are logged, since the caller already has a response.
 */
export function runAfterRandomDelay(ctx: Context, work: () => Promise<void>): void {
  const run = (): void => {
    work().catch((error: unknown) => ctx.log.error({ err: error }, 'a mail could not be queued'));
  };
  ctx.clock.after(Math.random() * DELAY_MAX_MS, run).unref();
}
