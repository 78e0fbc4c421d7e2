/**
 * Cloudflare Turnstile, a CAPTCHA. The browser gets a token from it, which is verified here.
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { requirePublicAddress } from '../../platform/outbound/site-public-address.ts';

const DEADLINE_MS = 5_000;
/** Lifetime of a token. */
const TOKEN_LIFE_MS = 300_000;
const TOKENS_MAX = 100_000;

/** Action for which the console requested a token. */
export type CaptchaAction = 'register' | 'reset';

const verification = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string()).default([]),
  hostname: z.string().default(''),
  action: z.string().default(''),
});
type Verification = z.output<typeof verification>;

/** Error codes caused by the browser, not by the service or the operator. */
const browserErrorCodes = new Set(['missing-input-response', 'invalid-input-response', 'timeout-or-duplicate']);

/**
 * Creates the check, which does nothing while Turnstile is disabled.
 * @returns a check that throws AppError `not-human`, or `unavailable` when the service does not respond
 */
export function createCaptchaCheck(ctx: Context) {
  const used = createBoundedMap<string, true>(TOKENS_MAX, { ttl: TOKEN_LIFE_MS });
  return async (token: string | undefined, address: string, action: CaptchaAction): Promise<void> => {
    if (!ctx.settings.turnstileCheck) return;
    if (token === undefined || token === '') throw captchaFailedError();
    const site = new URL(requirePublicAddress(ctx)).hostname;
    const name = ctx.vault.fingerprint(token);
    if (used.has(name)) throw captchaFailedError();
    used.set(name, true);
    const { success, hostname, ...answer } = await verifyToken(ctx, token, address).catch((error: unknown) => {
      used.delete(name);
      throw error;
    });
    if (success && hostname === site && ['', action].includes(answer.action)) return;
    throw captchaFailedError();
  };
}

/**
 * Tests the secret, which the service checks before the (invalid) token.
 * @throws Error with the codes of the service
 */
export async function testCaptcha(ctx: Context): Promise<void> {
  try {
    await verifyToken(ctx, 'test');
  } catch (error) {
    const { cause } = error instanceof AppError ? error : { cause: error };
    throw new Error(typeof cause === 'string' ? cause : 'The service cannot be reached', { cause: error });
  }
}

async function verifyToken(ctx: Context, token: string, address?: string): Promise<Verification> {
  const form = new URLSearchParams({
    secret: ctx.settings.turnstileSecret,
    response: token,
    ...(address === undefined ? {} : { remoteip: address }),
    idempotency_key: randomUUID(),
  });
  const { status, json } = await ctx.outbound
    .fetchJson({
      method: 'POST',
      url: ctx.config.turnstileUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      proxy: '',
      timeoutMs: DEADLINE_MS,
    })
    .catch((error: unknown) => {
      throw captchaUnavailableError(ctx, error);
    });
  const answer = verification.safeParse(json);
  if (status >= 500 || !answer.success) throw captchaUnavailableError(ctx, `status ${status}`);
  const codes = answer.data['error-codes'];
  if (!answer.data.success && !codes.some((code) => browserErrorCodes.has(code)))
    throw captchaUnavailableError(ctx, codes.join(' ').slice(0, 200));
  return answer.data;
}

function captchaUnavailableError(ctx: Context, reason: unknown): AppError {
  ctx.log.warn({ err: reason }, 'the CAPTCHA could not be verified');
  return new AppError('unavailable', 'The CAPTCHA cannot be verified at the moment. Try again in a minute.', {
    cause: reason,
  });
}

const captchaFailedError = () => new AppError('not-human', 'The CAPTCHA check failed. Try again.');
