/**
 * One-time secrets with an expiry: codes and links sent by mail, states of third-party sign-ins, passkey challenges,
 * sign-ins that wait for their second factor, and the longer-lived set-up link. They are stored in the database, so
 * that every node knows them, and only as keyed hashes, so that reading the database yields no usable secret.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { ExpressionBuilder, Kysely, Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { matchesAnyKey, processRowsInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';

export type OneTimePurpose =
  | 'sign-in'
  | 'third-party'
  | 'passkey'
  | 'mail-code'
  | 'password-reset'
  | 'telegram'
  | 'telegram-consent'
  | 'totp-set-up'
  | 'set-up';

interface Scope {
  purpose: OneTimePurpose;
  /** Keyed hash of the only browser that may use it; empty for any. */
  deviceHash: string;
  userId?: number | undefined;
  /** Subject of the secret, for instance a mail address; a code is only valid for its own subject. */
  subject?: string;
}

type SecretScope = Pick<Scope, 'purpose' | 'deviceHash'>;

export interface OneTimeSecret {
  userId: number | undefined;
  subject: string;
  data: unknown;
}

const TRIES_MAX = 5;
/** Outstanding secrets of one purpose per browser; the oldest are revoked. Several, for several tabs. */
const PER_BROWSER_MAX = 10;
/** Per user; higher, so that a stranger who knows the password can't easily revoke the owner's pending sign-in. */
const PER_USER_MAX = 100;
/** Maximum secrets that are revoked at once, for users who had more before there was a limit. */
const REVOKED_MAX = 100;
const CODE_DIGITS = 8;

/** Creates a secret of 256 bits. @returns its text, which is not stored */
export async function issueSecret(
  ctx: Context,
  scope: Scope & { seconds: number; data?: unknown },
  db: Kysely<Schema> = ctx.db.writer,
): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  await insertSecret(ctx, scope, value, db);
  return value;
}

/** Creates a code of eight digits for typing; the previous one for the same subject and browser is revoked. */
export async function issueCode(
  ctx: Context,
  scope: Scope & { subject: string; seconds: number; data?: unknown },
): Promise<string> {
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  await revokeSecrets(ctx, scope);
  await insertSecret(ctx, scope, codeText(scope, code));
  return code;
}

/** Restores a consumed code when its purpose failed. */
export async function restoreCode(
  ctx: Context,
  scope: Scope & { subject: string; seconds: number; data?: unknown },
  code: string,
): Promise<void> {
  await revokeSecrets(ctx, scope);
  await insertSecret(ctx, scope, codeText(scope, code.trim()));
}

/** Consumes the secret. Returns undefined when it is unknown, used, expired or bound to another browser. */
export async function consumeSecret(
  ctx: Context,
  scope: SecretScope,
  value: string,
  db: Kysely<Schema> = ctx.db.writer,
): Promise<OneTimeSecret | undefined> {
  const row = await db
    .deleteFrom('one_time')
    .where(selectUsableSecret(ctx, scope, value))
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : openSecretRow(ctx, row);
}

/** Returns whether the secret could be consumed, without consuming it. */
export async function isSecretUsable(ctx: Context, scope: SecretScope, value: string): Promise<boolean> {
  const row = await ctx.db.writer
    .selectFrom('one_time')
    .select('value_hash')
    .where(selectUsableSecret(ctx, scope, value))
    .executeTakeFirst();
  return row !== undefined;
}

function selectUsableSecret(ctx: Context, { purpose, deviceHash }: SecretScope, value: string) {
  return (eb: ExpressionBuilder<Schema, 'one_time'>) =>
    eb.and([
      eb('value_hash', '=', hashOf(ctx, purpose, value)),
      eb('device_hash', 'in', [deviceHash, '']),
      eb('expires_time', '>', nowSeconds(ctx.clock)),
    ]);
}

/**
 * Consumes a code. Five wrong attempts also invalidate the correct one. Each attempt is one transaction, so that
 * concurrent ones are counted as well.
 */
export async function consumeCode(
  ctx: Context,
  scope: Scope & { subject: string },
  code: string,
): Promise<OneTimeSecret | undefined> {
  return ctx.db.writer.transaction().execute(async (trx) => {
    const taken = await consumeSecret(ctx, scope, codeText(scope, code.trim()), trx);
    if (taken === undefined) await incrementTries(trx, scope);
    return taken;
  });
}

/** Returns the latest pending secret of this browser without consuming it. */
export async function findPendingSecret(
  ctx: Context,
  { purpose, deviceHash }: { purpose: OneTimePurpose; deviceHash: string },
): Promise<OneTimeSecret | undefined> {
  const row = await ctx.db.writer
    .selectFrom('one_time')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('device_hash', '=', deviceHash)
    .where('expires_time', '>', nowSeconds(ctx.clock))
    .orderBy('created_time', 'desc')
    .executeTakeFirst();
  return row === undefined ? undefined : openSecretRow(ctx, row);
}

/** Consumes the pending secret of this browser and subject; of concurrent calls only one gets it. */
export async function consumePendingSecret(
  ctx: Context,
  { purpose, deviceHash, subject }: { purpose: OneTimePurpose; deviceHash: string; subject: string },
  db: Kysely<Schema> = ctx.db.writer,
): Promise<(OneTimeSecret & { expiresAt: number }) | undefined> {
  const row = await db
    .deleteFrom('one_time')
    .where('purpose', '=', purpose)
    .where('device_hash', '=', deviceHash)
    .where('subject', '=', subject)
    .where('expires_time', '>', nowSeconds(ctx.clock))
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : { ...openSecretRow(ctx, row), expiresAt: row.expires_time };
}

type TriedScope = Pick<Scope, 'purpose' | 'deviceHash' | 'subject'>;

/** Returns whether a row belongs to this purpose, browser and subject; any subject if undefined. */
const isOfScope =
  ({ purpose, deviceHash, subject }: TriedScope) =>
  (eb: ExpressionBuilder<Schema, 'one_time'>) =>
    eb.and([
      eb('purpose', '=', purpose),
      eb('device_hash', '=', deviceHash),
      ...(subject === undefined ? [] : [eb('subject', '=', subject)]),
    ]);

/** Counts a wrong response to the pending secret of this browser. */
export async function countFailedTry(ctx: Context, scope: TriedScope): Promise<void> {
  await ctx.db.writer.transaction().execute((trx) => incrementTries(trx, scope));
}

/** Counts a wrong response, and removes the secrets of the scope that have reached `TRIES_MAX`. */
async function incrementTries(trx: Transaction<Schema>, scope: TriedScope): Promise<void> {
  await trx
    .updateTable('one_time')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where(isOfScope(scope))
    .execute();
  await trx.deleteFrom('one_time').where(isOfScope(scope)).where('tries', '>=', TRIES_MAX).execute();
}

/** Revokes the secrets of this purpose, browser and subject. */
export async function revokeSecrets(ctx: Context, scope: TriedScope): Promise<void> {
  await ctx.db.writer.deleteFrom('one_time').where(isOfScope(scope)).execute();
}

/** Makes room for one more secret of this purpose, browser and user. */
async function revokeOldest(db: Kysely<Schema>, { purpose, deviceHash, userId }: Scope): Promise<void> {
  const owners = [
    ...(deviceHash === '' ? [] : [{ column: 'device_hash', value: deviceHash, max: PER_BROWSER_MAX } as const]),
    ...(userId === undefined ? [] : [{ column: 'user_id', value: userId, max: PER_USER_MAX } as const]),
  ];
  for (const { column, value, max } of owners) {
    const outstanding = await db
      .selectFrom('one_time')
      .select('value_hash')
      .where(column, '=', value)
      .where('purpose', '=', purpose)
      .orderBy('created_time', 'desc')
      .limit(max + REVOKED_MAX)
      .execute();
    const oldest = outstanding.slice(max - 1).map(({ value_hash }) => value_hash);
    if (oldest.length > 0) await db.deleteFrom('one_time').where('value_hash', 'in', oldest).execute();
  }
}

/** Revokes all secrets of an account, for instance after its password changed. */
export async function revokeUserSecrets(db: Kysely<Schema>, userId: number): Promise<void> {
  await db.deleteFrom('one_time').where('user_id', '=', userId).execute();
}

/** @returns the number of removed secrets */
export function removeExpiredSecrets({ db, clock }: Context, stopping?: AbortSignal): Promise<number> {
  return processRowsInChunks(
    db,
    (trx) => trx.selectFrom('one_time').select('value_hash').where('expires_time', '<=', nowSeconds(clock)),
    (trx, rows) =>
      trx
        .deleteFrom('one_time')
        .where(matchesAnyKey(['value_hash'], rows))
        .execute(),
    stopping,
  );
}

async function insertSecret(
  ctx: Context,
  scope: Scope & { seconds: number; data?: unknown },
  value: string,
  db: Kysely<Schema> = ctx.db.writer,
): Promise<void> {
  const valueHash = hashOf(ctx, scope.purpose, value);
  const now = nowSeconds(ctx.clock);
  await revokeOldest(db, scope);
  await db
    .insertInto('one_time')
    .values({
      value_hash: valueHash,
      purpose: scope.purpose,
      device_hash: scope.deviceHash,
      user_id: scope.userId ?? null,
      subject: scope.subject ?? '',
      data_sealed: ctx.vault.seal('one-time', rowName(valueHash), JSON.stringify(scope.data ?? null)),
      tries: 0,
      created_time: now,
      expires_time: now + scope.seconds,
    })
    .execute();
}

function openSecretRow(
  ctx: Context,
  row: { value_hash: string; user_id: number | null; subject: string; data_sealed: string },
): OneTimeSecret {
  return {
    userId: row.user_id ?? undefined,
    subject: row.subject,
    data: JSON.parse(ctx.vault.open('one-time', rowName(row.value_hash), row.data_sealed)),
  };
}

const rowName = (valueHash: string): string => `one_time:${valueHash}`;
const hashOf = (ctx: Context, purpose: OneTimePurpose, value: string): string =>
  ctx.vault.fingerprint(`${purpose}:${value}`);
/** Returns the text to hash: a short code is only unique together with its browser and subject. */
const codeText = ({ deviceHash, subject }: { deviceHash: string; subject: string }, code: string): string =>
  `${deviceHash}:${subject}:${code}`;
