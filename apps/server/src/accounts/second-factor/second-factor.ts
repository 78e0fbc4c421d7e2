/** Second factors: time-based codes and recovery codes. Passkeys are stored separately. */

import { createHmac, randomBytes } from 'node:crypto';
import type { SecondFactorState } from '@switchyard/contract/accounts/second-factor';
import type { UserId } from '@switchyard/contract/ids';
import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { areSecretsEqual } from '../../platform/secrets/vault.ts';
import type { Schema } from '../../schema.ts';
import { requireCredential } from '../authentication/authentication.ts';
import { consumePendingSecret, issueSecret, revokeSecrets } from '../one-time-secrets/one-time-secrets.ts';
import { selectHasSecondFactor } from '../staff-second-factor/staff-second-factor.ts';
import { requireSignInMethod } from '../users/users.ts';

const SECRET_BYTES = 20;
const SET_UP_SECONDS = 900;
const RECOVERY_CODES = 10;

export async function hasSecondFactor(ctx: Context, userId: number): Promise<boolean> {
  const { totp, passkeys } = await countSecondFactors(ctx, userId);
  return totp || passkeys > 0;
}

export async function countSecondFactors(
  ctx: Context,
  userId: number,
): Promise<{ totp: boolean; passkeys: number; recoveryCodes: number }> {
  const row = await ctx.db.writer
    .selectNoFrom((eb) => [
      eb.selectFrom('totp').select(eb.fn.countAll<number>().as('n')).where('user_id', '=', userId).as('totp'),
      eb.selectFrom('passkey').select(eb.fn.countAll<number>().as('n')).where('user_id', '=', userId).as('passkeys'),
      eb
        .selectFrom('recovery_code')
        .select(eb.fn.countAll<number>().as('n'))
        .where('user_id', '=', userId)
        .as('recoveryCodes'),
    ])
    .executeTakeFirstOrThrow();
  return { totp: row.totp === 1, passkeys: row.passkeys ?? 0, recoveryCodes: row.recoveryCodes ?? 0 };
}

export async function readSecondFactorState(ctx: Context, caller: Caller): Promise<SecondFactorState> {
  const { totp, passkeys, recoveryCodes } = await countSecondFactors(ctx, caller.userId);
  return { totp, passkeys, recovery_codes_left: recoveryCodes, needed_from: caller.secondFactorNeededFrom ?? null };
}

/** Begins the set-up: the secret is pending in this browser until a first code confirms it. */
export async function beginTotp(
  ctx: Context,
  call: { caller: Caller; deviceHash(): string },
): Promise<{ secret: string; uri: string }> {
  const secret = randomBytes(SECRET_BYTES);
  const scope = { purpose: 'totp-set-up', deviceHash: call.deviceHash() } as const;
  await revokeSecrets(ctx, scope);
  await issueSecret(ctx, {
    ...scope,
    userId: call.caller.userId,
    seconds: SET_UP_SECONDS,
    data: secret.toString('base64url'),
  });
  const uri = totpUri({ secret, account: call.caller.username, issuer: ctx.settings.systemName });
  return { secret: base32(secret), uri };
}

/**
 * @returns the recovery codes, which are stored as hashes only
 * @throws AppError `wrong-code`; the secret stays pending, so that the next code can be tried
 */
export async function finishTotp(
  ctx: Context,
  call: { caller: Caller; deviceHash(): string },
  code: string,
): Promise<string[]> {
  const scope = { purpose: 'totp-set-up', deviceHash: call.deviceHash(), subject: '' } as const;
  const { userId } = call.caller;
  const codes = await ctx.db.writer.transaction().execute(async (trx) => {
    await requireCredential(ctx, trx, call.caller);
    // A wrong code restores the secret by the rollback.
    const waiting = await consumePendingSecret(ctx, scope, trx);
    if (waiting?.userId !== userId || typeof waiting.data !== 'string')
      throw new AppError('link-expired', 'This setup has expired. Start again.');
    const secret = Buffer.from(waiting.data, 'base64url');
    const now = nowSeconds(ctx.clock);
    const step = matchTotp(secret, code, { now, afterStep: 0 });
    if (step === undefined) throw new AppError('wrong-code', 'This code is incorrect. Enter the current one.');
    const row = {
      user_id: userId,
      secret_sealed: ctx.vault.seal('totp', rowName(userId), waiting.data),
      created_time: now,
      last_step: step,
    };
    await trx
      .insertInto('totp')
      .values(row)
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
      .execute();
    return insertRecoveryCodes(ctx, trx, userId);
  });
  await publishFactorChange(ctx, userId);
  return codes;
}

/** @returns false if there was none */
export async function removeTotp(ctx: Context, caller: Caller): Promise<boolean> {
  const { userId } = caller;
  const isRemoved = await ctx.db.writer.transaction().execute(async (trx) => {
    await requireCredential(ctx, trx, caller);
    const { numDeletedRows } = await trx.deleteFrom('totp').where('user_id', '=', userId).executeTakeFirstOrThrow();
    await removeOrphanRecoveryCodes(trx, userId);
    return numDeletedRows > 0n;
  });
  if (isRemoved) await publishFactorChange(ctx, userId);
  return isRemoved;
}

/** Publishes that a second factor was added or removed, because the use of the account's role depends on it. */
export function publishFactorChange({ changes }: Pick<Context, 'changes'>, userId: number): Promise<void> {
  return changes.publish({ topic: 'users', ids: [userId] });
}

/**
 * Removes the recovery codes of a user without other factors; otherwise they would open the account again once
 * another factor is added.
 */
export async function removeOrphanRecoveryCodes(db: Kysely<Schema>, userId: number): Promise<void> {
  await db
    .deleteFrom('recovery_code')
    .where('user_id', '=', userId)
    .where('user_id', 'not in', (eb) => eb.selectFrom('totp').select('user_id'))
    .where('user_id', 'not in', (eb) => eb.selectFrom('passkey').select('user_id'))
    .execute();
}

/**
 * Creates ten codes of 50 bits; earlier ones stop working.
 * @throws AppError `conflict` for a user without another factor: codes that a thief of the password creates would open
 * the account even after its owner adds a factor
 */
export function replaceRecoveryCodes(ctx: Context, caller: Caller): Promise<string[]> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    await requireCredential(ctx, trx, caller);
    const { has_second_factor } = await trx
      .selectFrom('user')
      .select(selectHasSecondFactor)
      .where('id', '=', caller.userId)
      .executeTakeFirstOrThrow();
    if (has_second_factor === 0)
      throw new AppError(
        'conflict',
        'Recovery codes replace a second factor. Add an authenticator app or a passkey first.',
      );
    return insertRecoveryCodes(ctx, trx, caller.userId);
  });
}

async function insertRecoveryCodes(ctx: Context, trx: Transaction<Schema>, userId: UserId): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = base32(randomBytes(7)).slice(0, 10).toLowerCase();
    return `${text.slice(0, 5)}-${text.slice(5)}`;
  });
  await trx.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
  await trx
    .insertInto('recovery_code')
    .values(codes.map((code) => ({ user_id: userId, code_hash: hashOf(ctx, userId, code) })))
    .execute();
  return codes;
}

export const WRONG_CODE =
  'This code is incorrect or used. Enter the current code of your authenticator app, or another recovery code.';

/** Checks a time-based code or a recovery code and returns whether it is right; either works once. */
export async function consumeSecondFactorCode(ctx: Context, userId: number, typed: string): Promise<boolean> {
  const code = typed.replace(/\s/g, '').toLowerCase();
  return /^\d{6}$/.test(code) ? consumeTotpCode(ctx, userId, code) : consumeRecoveryCode(ctx, userId, code);
}

async function consumeTotpCode(ctx: Context, userId: number, code: string): Promise<boolean> {
  const row = await ctx.db.writer.selectFrom('totp').selectAll().where('user_id', '=', userId).executeTakeFirst();
  if (row === undefined) return false;
  const secret = Buffer.from(ctx.vault.open('totp', rowName(userId), row.secret_sealed), 'base64url');
  const step = matchTotp(secret, code, { now: nowSeconds(ctx.clock), afterStep: row.last_step });
  if (step === undefined) return false;
  // Of concurrent calls with the same code, only one succeeds.
  const { numUpdatedRows } = await ctx.db.writer
    .updateTable('totp')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function consumeRecoveryCode(ctx: Context, userId: number, code: string): Promise<boolean> {
  const dashed = /^[a-z2-7]{10}$/.test(code) ? `${code.slice(0, 5)}-${code.slice(5)}` : code;
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('recovery_code')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hashOf(ctx, userId, dashed))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Removes all second factors of a user who lost them.
 * @returns false if there was none
 * @throws AppError `conflict` when a passkey is the only sign-in method
 */
export async function removeAllFactors(ctx: Context, userId: number): Promise<boolean> {
  const isRemoved = await ctx.db.writer.transaction().execute(async (trx) => {
    let removed = 0n;
    for (const table of ['totp', 'recovery_code', 'passkey'] as const)
      removed += (await trx.deleteFrom(table).where('user_id', '=', userId).executeTakeFirstOrThrow()).numDeletedRows;
    await requireSignInMethod(trx, userId);
    return removed > 0n;
  });
  if (isRemoved) await publishFactorChange(ctx, userId);
  return isRemoved;
}

const rowName = (userId: number): string => `totp:${userId}`;
const hashOf = (ctx: Context, userId: number, code: string): string =>
  ctx.vault.fingerprint(`recovery:${userId}:${code}`);

/** Codes by time, RFC 6238 with the parameters that every authenticator app knows: SHA-1, 30 seconds, 6 digits. */

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Clocks may differ by one interval. */
const WINDOW = 1;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * Returns the interval of a valid, unused code.
 * @param afterStep latest interval whose code was used
 */
export function matchTotp(
  secret: Buffer,
  code: string,
  { now, afterStep }: { now: number; afterStep: number },
): number | undefined {
  const present = Math.floor(now / STEP_SECONDS);
  for (let step = present - WINDOW; step <= present + WINDOW; step += 1)
    if (step > afterStep && areSecretsEqual(totpCode(secret, step), code)) return step;
  return undefined;
}

/** Encodes by RFC 4648 without padding, as apps expect. */
export function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function totpUri({ secret, account, issuer }: { secret: Buffer; account: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
