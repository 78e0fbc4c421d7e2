import type { Points } from '@switchyard/contract/money';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { createAddressLimit, createRateLimit } from '../../platform/limits/rate-limit.ts';
import { type RedeemCall, redeemCode } from './redeem.ts';

const guessLimits = new WeakMap<Context, ReturnType<typeof createGuessLimit>>();

/**
 * Redeems a code that a user typed: limits wrong guesses, and writes the audit log.
 * @throws AppError like `redeemCode`, and `too-many-requests`
 */
export async function redeemWithRateLimit(ctx: Context, call: RedeemCall, typed: string): Promise<Points> {
  const withGuessLimit = guessLimits.get(ctx) ?? createGuessLimit(ctx);
  guessLimits.set(ctx, withGuessLimit);
  const { quota, done } = await withGuessLimit(call, () => redeemCode(ctx, call, typed));
  if (done !== undefined) {
    const { codeId, ...detail } = done;
    await audit(ctx, call, { action: 'redemption-code.redeem', target: `redemption_code:${codeId}`, detail });
  }
  return quota;
}

/**
 * Rate limit on wrong redemption codes. A code of 150 bits can't be guessed; the limit stops the load of attempts.
 */

const WINDOW_MS = 15 * 60_000;
const WRONG_PER_USER = 10;
/** Many users may share one address. */
const WRONG_PER_ADDRESS = 30;

interface GuessingCall {
  caller: { userId: number };
  /** Empty if unknown. */
  address: string;
}

/** Creates a limiter for code lookups; only one that finds no code counts. */
function createGuessLimit(ctx: Context) {
  const byUser = createRateLimit(ctx, 'wrong redemption codes', WRONG_PER_USER, WINDOW_MS);
  const byAddress = createAddressLimit(ctx, 'wrong redemption codes from this address', WRONG_PER_ADDRESS, WINDOW_MS);
  return async <T>({ caller, address }: GuessingCall, findCode: () => Promise<T>): Promise<T> => {
    const user = String(caller.userId);
    await byUser.check(user);
    if (address !== '') await byAddress.check(address);
    try {
      return await findCode();
    } catch (error) {
      if (error instanceof AppError && error.code === 'code-unknown') {
        await byUser.consume(user);
        if (address !== '') await byAddress.consume(address);
      }
      throw error;
    }
  };
}
