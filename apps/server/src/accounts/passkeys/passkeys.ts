/** Passkeys (WebAuthn). */

import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers';
import type { newCredential, Passkey } from '@switchyard/contract/accounts/passkeys';
import type { PasskeyId } from '@switchyard/contract/ids';
import type { Assertion } from '@switchyard/contract/webauthn-assertion';
import type { Kysely, Selectable } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Schema } from '../../schema.ts';
import { requireCredential } from '../authentication/authentication.ts';
import { consumeSecret, issueSecret } from '../one-time-secrets/one-time-secrets.ts';
import { requireSignInMethod } from '../users/users.ts';
import type { PasskeyTable } from './table.ts';

interface Browser {
  deviceHash(): string;
  /** Address by which the browser reached this server. */
  origin: string;
}

const CHALLENGE_SECONDS = 300;
const PASSKEYS_MAX = 20;

/** @throws AppError `conflict` for too many */
export async function beginRegistration(
  ctx: Context,
  browser: Browser,
  caller: Caller,
  alias: string,
): Promise<Record<string, unknown>> {
  const own = await selectUserPasskeys(ctx.db.writer, caller.userId);
  checkPasskeyCount(own);
  const challenge = await issueSecret(ctx, {
    purpose: 'passkey',
    deviceHash: browser.deviceHash(),
    userId: caller.userId,
    seconds: CHALLENGE_SECONDS,
    data: { alias },
  });
  const options = await generateRegistrationOptions({
    rpName: ctx.settings.systemName,
    rpID: relyingParty(ctx, browser.origin).id,
    userName: caller.username,
    userID: new TextEncoder().encode(String(caller.userId)),
    challenge: Buffer.from(challenge, 'base64url'),
    attestationType: 'none',
    excludeCredentials: own.map((row) => ({ id: row.credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: CHALLENGE_SECONDS * 1000,
  });
  return { ...options };
}

/** @throws AppError `wrong-code` when the response does not match the challenge, or was tampered with; `conflict` */
export async function finishRegistration(
  ctx: Context,
  browser: Browser,
  caller: Caller,
  response: z.output<typeof newCredential>,
): Promise<void> {
  const site = relyingParty(ctx, browser.origin);
  const challenge = await consumeChallenge(ctx, browser, response);
  if (challenge.userId !== caller.userId) throw wrongPasskeyError();
  const { registrationInfo } = await verifyOrReject(() =>
    verifyRegistrationResponse({
      response: withoutAttestation(response),
      expectedChallenge: challenge.text,
      ...buildExpectations(site),
    }),
  );
  const { credential } = registrationInfo ?? {};
  if (credential === undefined) throw wrongPasskeyError();
  const now = nowSeconds(ctx.clock);
  await ctx.db.writer.transaction().execute(async (trx) => {
    await requireCredential(ctx, trx, caller);
    // Several registrations may have begun while there was room for one, and may end at the same time.
    checkPasskeyCount(await selectUserPasskeys(trx, caller.userId));
    await trx
      .insertInto('passkey')
      .values({
        user_id: caller.userId,
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: JSON.stringify(credential.transports ?? []),
        rp_id: site.id,
        alias: challenge.alias === '' ? new Date(now * 1000).toISOString().slice(0, 10) : challenge.alias,
        created_time: now,
        last_used_time: 0,
      })
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .execute();
  });
}

/**
 * Removes the statement about the authenticator's origin, which this server doesn't request: anyone can send one with
 * certificates that name addresses, from which the library would load lists of revoked certificates.
 */
function withoutAttestation(credential: z.output<typeof newCredential>): RegistrationResponseJSON {
  const { response } = credential;
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject)).get('authData');
  const attestation = new Map<string, Parameters<typeof isoCBOR.encode>[0]>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(attestation));
  const bare = { ...credential, response: { ...response, attestationObject } };
  return bare as unknown as RegistrationResponseJSON;
}

/** Creates a challenge that is the same for all users: the browser offers its passkeys for this site. */
export async function beginAssertion(ctx: Context, browser: Browser): Promise<Record<string, unknown>> {
  const challenge = await issueSecret(ctx, {
    purpose: 'passkey',
    deviceHash: browser.deviceHash(),
    seconds: CHALLENGE_SECONDS,
  });
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(ctx, browser.origin).id,
    challenge: Buffer.from(challenge, 'base64url'),
    userVerification: 'required',
    timeout: CHALLENGE_SECONDS * 1000,
  });
  return { ...options };
}

/**
 * Verifies a passkey assertion against the challenge and returns the user who owns the passkey.
 * @throws AppError `wrong-code` for an unknown passkey, a wrong or repeated response, or a copied passkey
 */
export async function checkAssertion(ctx: Context, browser: Browser, response: Assertion): Promise<number> {
  const site = relyingParty(ctx, browser.origin);
  const challenge = await consumeChallenge(ctx, browser, response);
  if (challenge.userId !== undefined) throw wrongPasskeyError();
  const row = await ctx.db.writer
    .selectFrom('passkey')
    .selectAll()
    .where('credential_id', '=', response.id)
    .where('rp_id', '=', site.id)
    .executeTakeFirst();
  if (row === undefined || !isOwner(row.user_id, response.response.userHandle)) throw wrongPasskeyError();
  const { verified: isRight, authenticationInfo } = await verifyOrReject(() =>
    verifyAuthenticationResponse({
      response: response as unknown as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: challenge.text,
      ...buildExpectations(site),
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        counter: row.counter,
      },
    }),
  );
  if (!isRight) throw wrongPasskeyError();
  await ctx.db.writer
    .updateTable('passkey')
    .set({ counter: authenticationInfo.newCounter, last_used_time: nowSeconds(ctx.clock) })
    .where('id', '=', row.id)
    .execute();
  return row.user_id;
}

export async function listPasskeys(ctx: Context, { userId }: Caller): Promise<Passkey[]> {
  const rows = await selectUserPasskeys(ctx.db.writer, userId);
  return rows.map(({ id, credential_id, alias, created_time, last_used_time }) => ({
    id: id as PasskeyId,
    credential_id,
    alias,
    created_time,
    last_used_time,
  }));
}

/** @throws AppError `not-found`, also for another user's passkey */
export async function renamePasskey(ctx: Context, { userId }: Caller, id: PasskeyId, alias: string): Promise<void> {
  const { numUpdatedRows } = await ctx.db.writer
    .updateTable('passkey')
    .set({ alias })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('passkey', id);
}

/** @throws AppError `not-found`, also for another user's passkey, `conflict` for the last sign-in method */
export async function removePasskey(db: Kysely<Schema>, { userId }: Caller, id: PasskeyId): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('passkey', id);
  await requireSignInMethod(db, userId);
}

function checkPasskeyCount(own: readonly unknown[]): void {
  if (own.length >= PASSKEYS_MAX)
    throw new AppError('conflict', `You have reached the limit of ${PASSKEYS_MAX} passkeys. Remove one first.`);
}

function selectUserPasskeys(db: Kysely<Schema>, userId: number): Promise<Selectable<PasskeyTable>[]> {
  return db.selectFrom('passkey').selectAll().where('user_id', '=', userId).orderBy('id').execute();
}

/** Consumes the challenge that the browser claims to respond to, which must have been issued to this browser. */
async function consumeChallenge(
  ctx: Context,
  browser: Browser,
  { response }: { response: { clientDataJSON: string } },
): Promise<{ text: string; userId: number | undefined; alias: string }> {
  const text = parseChallenge(response.clientDataJSON);
  const scope = { purpose: 'passkey', deviceHash: browser.deviceHash() } as const;
  const taken = await consumeSecret(ctx, scope, text);
  if (taken === undefined) throw wrongPasskeyError();
  const { data } = taken;
  const alias = typeof data === 'object' && data !== null && 'alias' in data ? String(data.alias) : '';
  return { text, userId: taken.userId, alias };
}

function parseChallenge(clientData: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString('utf8'));
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

function buildExpectations(site: RelyingParty) {
  return { expectedOrigin: site.origin, expectedRPID: site.id, requireUserVerification: true };
}

/** Returns whether the authenticator's user handle names this user. */
function isOwner(userId: number, handle: string | null | undefined): boolean {
  return typeof handle === 'string' && Buffer.from(handle, 'base64url').toString('utf8') === String(userId);
}

/** Converts the library's many errors to a single one, which reveals no detail. */
async function verifyOrReject<T extends { verified: boolean }>(verify: () => Promise<T>): Promise<T> {
  try {
    const result = await verify();
    if (result.verified) return result;
  } catch (error) {
    throw wrongPasskeyError(error);
  }
  throw wrongPasskeyError();
}

function wrongPasskeyError(cause?: unknown): AppError {
  return new AppError('wrong-code', 'This passkey was not accepted', { cause });
}

interface RelyingParty {
  /** Host, to which browsers bind passkeys. */
  id: string;
  origin: string;
}

/**
 * Returns the site of the passkeys. Without a configured address it is the browser's: a caller who forges it gets
 * passkeys for another site, which no browser of this site uses.
 */
function relyingParty(ctx: Context, usedOrigin: string): RelyingParty {
  const configured = ctx.settings.serverAddress || ctx.config.publicUrl;
  const address = configured ?? usedOrigin;
  if (!URL.canParse(address)) throw new AppError('invalid-input', 'The Host header of this request is invalid');
  const { hostname, origin } = new URL(address);
  return { id: hostname, origin };
}
