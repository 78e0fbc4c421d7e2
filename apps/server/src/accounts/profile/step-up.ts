/** Step-up: verifies again, within a session, that its user is present, before sensitive actions. */
import type { StepUpProof } from '@switchyard/contract/accounts/profile';
import type { Context } from '../../context.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { verifyPassword } from '../../platform/secrets/password-hashing.ts';
import { stepUpSession } from '../authentication/authentication.ts';
import { checkAssertion } from '../passkeys/passkeys.ts';
import { consumeSecondFactorCode, countSecondFactors, WRONG_CODE } from '../second-factor/second-factor.ts';

interface StepUpMethods {
  password: boolean;
  code: boolean;
  passkey: boolean;
}

/**
 * Returns how the caller can step up: with a second factor if there is one, else with the password; without either
 * the caller must sign in again.
 */
export async function listStepUpMethods(ctx: Context, caller: Caller): Promise<StepUpMethods> {
  const { totp, passkeys, recoveryCodes } = await countSecondFactors(ctx, caller.userId);
  const second = totp || passkeys > 0;
  return {
    password: !second && (await readPasswordHash(ctx, caller)) !== '',
    code: second && (totp || recoveryCodes > 0),
    passkey: passkeys > 0,
  };
}

/**
 * @throws AppError `wrong-password`, `wrong-code`, `invalid-input` for an insufficient proof, or `not-allowed` for
 * calls without a session
 */
export async function stepUp(
  ctx: Context,
  call: { caller: Caller; origin: string; deviceHash(): string },
  { password, code, passkey }: StepUpProof,
): Promise<void> {
  const { caller } = call;
  if (caller.sessionIdHash === undefined)
    throw new AppError('not-allowed', 'Only a console session can be confirmed. Sign in to the console.');
  const ways = await listStepUpMethods(ctx, caller);
  if (ways.passkey && passkey !== undefined) await checkPasskey(ctx, call, passkey);
  else if (ways.code && code !== undefined) await checkCode(ctx, caller, code);
  else if (ways.password && password !== undefined)
    await checkPassword(await readPasswordHash(ctx, caller), password, 'password');
  else
    throw new AppError(
      'invalid-input',
      'This account cannot be confirmed by this method. Use its second factor, or its password if it has none.',
    );
  await stepUpSession(ctx, caller.sessionIdHash);
}

/** @throws AppError `wrong-password` */
export async function checkPassword(hash: string, password: string, field: string): Promise<void> {
  if (!(await verifyPassword(password, hash, 'known'))) throw wrongPassword(field);
}

export function wrongPassword(field: string): AppError {
  return fieldError(field, 'wrong-password', 'The password is incorrect', 'wrong-password');
}

async function checkPasskey(
  ctx: Context,
  call: { caller: Caller; origin: string; deviceHash(): string },
  passkey: NonNullable<StepUpProof['passkey']>,
): Promise<void> {
  if ((await checkAssertion(ctx, call, passkey)) === call.caller.userId) return;
  throw new AppError('wrong-code', 'This passkey belongs to another account');
}

async function checkCode(ctx: Context, caller: Caller, code: string): Promise<void> {
  if (await consumeSecondFactorCode(ctx, caller.userId, code)) return;
  throw fieldError('code', 'wrong-code', WRONG_CODE, 'wrong-code');
}

export async function readPasswordHash(ctx: Context, caller: Caller): Promise<string> {
  const { password_hash } = await ctx.db.writer
    .selectFrom('user')
    .select('password_hash')
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow();
  return password_hash;
}
