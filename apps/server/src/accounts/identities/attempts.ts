/**
 * State of a third-party sign-in between leaving for the provider and coming back: usable once, valid for minutes, and
 * bound to the browser, the provider and the intent that it was begun with. No sign-in succeeds without it.
 */
import { randomBytes } from 'node:crypto';
import { type IdentityProvider, identityProvider } from '@switchyard/contract/accounts/identities';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Call } from '../../platform/http/mount-routes.ts';
import { publicAddress } from '../../platform/outbound/public-address.ts';
import {
  forget,
  issueSecret,
  type OneTime,
  takeSecret,
  takeWaiting,
} from '../one-time-secrets/one-time-secrets.ts';
import { type Proof, type Provider, refusalOf } from './identity-provider.ts';

/** Call by any visitor, signed in or not. */
export type AttemptCall = Pick<Call<'anyone'>, keyof Call>;

const purpose = 'third-party';
const REDIRECT_SECONDS = 600;
const TYPED_SECONDS = 180;
/** Codes that somebody may type, with the right one. */
const TRIES_MAX = 5;

const attemptData = z.object({
  provider: identityProvider,
  /** Keyed hash of the session that binds; absent: somebody signs in. */
  session: z.string().optional(),
  /** Absent when the client makes the authorization address itself. */
  proof: z.object({ redirectUri: z.string(), verifier: z.string(), nonce: z.string() }).optional(),
  triesLeft: z.int(),
});

export interface Attempt {
  /** User whose account is bound; absent for a sign-in. */
  binder: { userId: number; session: string } | undefined;
  proof: Proof | undefined;
}

/** @returns the state that belongs to an address which the client makes itself */
export function beginByState(ctx: Context, call: AttemptCall, { name }: Provider): Promise<string> {
  return store(ctx, call, { provider: name, triesLeft: 1 }, REDIRECT_SECONDS);
}

/** @throws AppError `not-set-up` without an address to come back to */
export function newProof(ctx: Context, provider: IdentityProvider): Proof {
  const random = () => randomBytes(32).toString('base64url');
  const redirectUri = `${publicAddress(ctx)}/oauth/${provider}`;
  return { redirectUri, verifier: random(), nonce: random() };
}

/**
 * @returns the authorization address
 * @throws AppError `upstream-failed` when the provider does not say where that is
 */
export async function beginByAddress(ctx: Context, call: AttemptCall, provider: Provider): Promise<string> {
  const proof = newProof(ctx, provider.name);
  const state = await store(ctx, call, { provider: provider.name, proof, triesLeft: 1 }, REDIRECT_SECONDS);
  try {
    if (provider.authorizeUrl === undefined) throw new Error('This provider has no authorization URL');
    return await provider.authorizeUrl(ctx, state, proof);
  } catch (error) {
    throw refusalOf(ctx, provider, error);
  }
}

/** The browser may have a code typed in now; what it began before ends. */
export async function beginTyping(ctx: Context, call: AttemptCall, { name }: Provider): Promise<void> {
  binderOf(call);
  await forget(ctx, { purpose, deviceHash: call.deviceHash(), subject: name });
  await store(ctx, call, { provider: name, triesLeft: TRIES_MAX }, TYPED_SECONDS);
}

/** @throws AppError `link-expired` for a state that is not this browser's, this provider's and this session's */
export async function takeByState(
  ctx: Context,
  call: AttemptCall,
  { name }: Provider,
  state: string,
): Promise<Attempt> {
  const taken = await takeSecret(ctx, { purpose, deviceHash: call.deviceHash() }, state);
  return readAttempt(call, name, taken).attempt;
}

/**
 * @returns the attempt, and what gives it back when the code was wrong: the time stays, a try is gone
 * @throws AppError `link-expired` for a browser that did not begin, or began something else
 */
export async function takeTyped(
  ctx: Context,
  call: AttemptCall,
  { name }: Provider,
  intent: 'sign-in' | 'bind',
): Promise<{ attempt: Attempt; giveBack: () => Promise<void> }> {
  const taken = await takeWaiting(ctx, { purpose, deviceHash: call.deviceHash(), subject: name });
  const { attempt, data } = readAttempt(call, name, taken);
  if ((attempt.binder === undefined) !== (intent === 'sign-in')) throw notBegun();
  return {
    attempt,
    async giveBack() {
      const secondsLeft = (taken?.expiresAt ?? 0) - nowSeconds(ctx.clock);
      if (data.triesLeft > 1 && secondsLeft > 0)
        await store(ctx, call, { ...data, triesLeft: data.triesLeft - 1 }, secondsLeft);
    },
  };
}

function store(
  ctx: Context,
  call: AttemptCall,
  data: Omit<z.output<typeof attemptData>, 'session'>,
  seconds: number,
): Promise<string> {
  const binder = binderOf(call);
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
 * Whoever has a session binds; that changes who can sign in to the account, so that they must be confirmed.
 * @throws AppError `step-up-required`
 */
function binderOf({ caller }: AttemptCall): Attempt['binder'] {
  if (caller?.sessionIdHash === undefined) return undefined;
  if (!caller.steppedUp) throw new AppError('step-up-required', 'Confirm your identity first');
  return { userId: caller.userId, session: caller.sessionIdHash };
}

function readAttempt({ caller }: AttemptCall, provider: string, taken: OneTime | undefined) {
  const data = attemptData.safeParse(taken?.data).data;
  const session = caller?.sessionIdHash;
  const isTheirs = taken?.userId === (session === undefined ? undefined : caller?.userId);
  if (data?.provider !== provider || data.session !== session || !isTheirs) throw notBegun();
  const binder =
    session === undefined || caller === undefined ? undefined : { userId: caller.userId, session };
  return { data, attempt: { binder, proof: data.proof } };
}

function notBegun(): AppError {
  return new AppError(
    'link-expired',
    'This sign-in was started in another browser or has expired. Start again.',
  );
}
