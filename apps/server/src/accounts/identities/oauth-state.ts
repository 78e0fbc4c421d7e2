/**
 * State of a third-party sign-in between the redirect to the provider and the return: usable once, valid for minutes,
 * and bound to the browser, the provider and the intent with which it began. No sign-in succeeds without it.
 */
import { randomBytes } from 'node:crypto';
import { type IdentityProvider, identityProvider } from '@switchyard/contract/accounts/identities';
import type { UserId } from '@switchyard/contract/ids';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, stepUpRequired } from '../../platform/http/app-error.ts';
import type { Call } from '../../platform/http/mount-routes.ts';
import { requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import {
  consumePendingSecret,
  consumeSecret,
  issueSecret,
  type OneTimeSecret,
  revokeSecrets,
} from '../one-time-secrets/one-time-secrets.ts';
import { type IdentityProviderClient, type OAuthParameters, toSignInError } from './identity-provider.ts';

/** Call by any visitor, signed in or not. */
export type IdentityCall = Pick<Call<'anyone'>, keyof Call>;

const purpose = 'third-party';
const REDIRECT_SECONDS = 600;
const CODE_ENTRY_SECONDS = 180;
/** Maximum number of typed codes, including the right one. */
const TRIES_MAX = 5;

const attemptData = z.object({
  provider: identityProvider,
  /** Keyed hash of the session that binds; absent for a sign-in. */
  session: z.string().optional(),
  /** Absent when the client builds the authorization address itself. */
  proof: z.object({ redirectUri: z.string(), verifier: z.string(), nonce: z.string() }).optional(),
  triesLeft: z.int(),
});

export interface IdentityAttempt {
  /** User whose account is bound; absent for a sign-in. */
  binder: { userId: UserId; session: string } | undefined;
  proof: OAuthParameters | undefined;
}

/** @returns the state for an authorization address that the client builds itself */
export function issueState(ctx: Context, call: IdentityCall, { name }: IdentityProviderClient): Promise<string> {
  return storeAttempt(ctx, call, { provider: name, triesLeft: 1 }, REDIRECT_SECONDS);
}

/** @throws AppError `not-set-up` without a public address to return to */
export function createOAuthParameters(ctx: Context, provider: IdentityProvider): OAuthParameters {
  const random = () => randomBytes(32).toString('base64url');
  const redirectUri = `${requirePublicAddress(ctx)}/oauth/${provider}`;
  return { redirectUri, verifier: random(), nonce: random() };
}

/**
 * @returns the authorization address
 * @throws AppError `upstream-failed` when the provider's metadata is unavailable
 */
export async function createAuthorizationUrl(
  ctx: Context,
  call: IdentityCall,
  provider: IdentityProviderClient,
): Promise<string> {
  const proof = createOAuthParameters(ctx, provider.name);
  const state = await storeAttempt(ctx, call, { provider: provider.name, proof, triesLeft: 1 }, REDIRECT_SECONDS);
  try {
    if (provider.authorizeUrl === undefined) throw new Error('This provider has no authorization URL');
    return await provider.authorizeUrl(ctx, state, proof);
  } catch (error) {
    throw toSignInError(ctx, provider, error);
  }
}

/** Allows this browser to enter a code; its earlier attempts end. */
export async function beginCodeEntry(
  ctx: Context,
  call: IdentityCall,
  { name }: IdentityProviderClient,
): Promise<void> {
  requireBinder(call);
  await revokeSecrets(ctx, { purpose, deviceHash: call.deviceHash(), subject: name });
  await storeAttempt(ctx, call, { provider: name, triesLeft: TRIES_MAX }, CODE_ENTRY_SECONDS);
}

/** @throws AppError `link-expired` for a state of another browser, provider or session */
export async function consumeState(
  ctx: Context,
  call: IdentityCall,
  { name }: IdentityProviderClient,
  state: string,
): Promise<IdentityAttempt> {
  const taken = await consumeSecret(ctx, { purpose, deviceHash: call.deviceHash() }, state);
  return readAttempt(call, name, taken).attempt;
}

/**
 * @returns the attempt, and a function that restores it after a wrong code with one try less and the same expiry
 * @throws AppError `link-expired` for a browser that did not begin, or began with another intent
 */
export async function consumeCodeEntry(
  ctx: Context,
  call: IdentityCall,
  { name }: IdentityProviderClient,
  intent: 'sign-in' | 'bind',
): Promise<{ attempt: IdentityAttempt; giveBack: () => Promise<void> }> {
  const taken = await consumePendingSecret(ctx, { purpose, deviceHash: call.deviceHash(), subject: name });
  const { attempt, data } = readAttempt(call, name, taken);
  if ((attempt.binder === undefined) !== (intent === 'sign-in')) throw attemptExpiredError();
  return {
    attempt,
    async giveBack() {
      const secondsLeft = (taken?.expiresAt ?? 0) - nowSeconds(ctx.clock);
      if (data.triesLeft > 1 && secondsLeft > 0)
        await storeAttempt(ctx, call, { ...data, triesLeft: data.triesLeft - 1 }, secondsLeft);
    },
  };
}

function storeAttempt(
  ctx: Context,
  call: IdentityCall,
  data: Omit<z.output<typeof attemptData>, 'session'>,
  seconds: number,
): Promise<string> {
  const binder = requireBinder(call);
  return issueSecret(ctx, {
    purpose,
    deviceHash: call.deviceHash(),
    subject: data.provider,
    userId: binder?.userId,
    seconds,
    data: { ...data, session: binder?.session },
  });
}

/**
 * Returns the user whose account will be bound, if there is a session. Binding changes who can sign in to the
 * account, so it requires a step-up.
 * @throws AppError `step-up-required`
 */
function requireBinder({ caller }: IdentityCall): IdentityAttempt['binder'] {
  if (caller?.sessionIdHash === undefined) return undefined;
  if (!caller.steppedUp) throw stepUpRequired();
  return { userId: caller.userId, session: caller.sessionIdHash };
}

function readAttempt({ caller }: IdentityCall, provider: string, taken: OneTimeSecret | undefined) {
  const data = attemptData.safeParse(taken?.data).data;
  const session = caller?.sessionIdHash;
  const isTheirs = taken?.userId === (session === undefined ? undefined : caller?.userId);
  if (data?.provider !== provider || data.session !== session || !isTheirs) throw attemptExpiredError();
  const binder = session === undefined || caller === undefined ? undefined : { userId: caller.userId, session };
  return { data, attempt: { binder, proof: data.proof } };
}

function attemptExpiredError(): AppError {
  return new AppError('link-expired', 'This sign-in was started in another browser or has expired. Start again.');
}
