import type { Points } from '@switchyard/contract/money';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { createGuessLimit } from './guess-limit.ts';
import { type RedeemCall, redeem } from './redeem.ts';

const guessLimits = new WeakMap<Context, ReturnType<typeof createGuessLimit>>();

/**
 * Redeems a code that a user typed: counts wrong codes against the guess limit, and writes the audit log.
 * @throws AppError like `redeem`, and `too-many-requests`
 */
export async function redeemTyped(ctx: Context, call: RedeemCall, typed: string): Promise<Points> {
  const withGuessLimit = guessLimits.get(ctx) ?? createGuessLimit(ctx);
  guessLimits.set(ctx, withGuessLimit);
  const { quota, done } = await withGuessLimit(call, () => redeem(ctx, call, typed));
  if (done !== undefined) {
    const { codeId, ...detail } = done;
    await audit(ctx, call, { action: 'redemption-code.redeem', target: `redemption_code:${codeId}`, detail });
  }
  return quota;
}
