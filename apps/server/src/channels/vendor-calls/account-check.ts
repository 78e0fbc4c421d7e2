/** Checks a key and its account by what a vendor tells free of charge: the balance, or the list of models. */
import type { FailureClass } from '@switchyard/contract/codes';
import type { Context } from '../../context.ts';
import type { LoadedChannel } from '../registry/loaded-channel.ts';
import { VendorFailure } from './vendor-failure.ts';
import { fetchVendorBalance, fetchVendorModels } from './vendor-reads.ts';

/** `has-credit` says that the key is valid, too; `valid-key` says nothing of the credit. */
export type AccountState = 'refused' | 'has-credit' | 'valid-key' | 'unknown';

/** A key that lacks the right to one of these reads may be used all the same: `no-permission` is none of them. */
const refusals: ReadonlySet<FailureClass> = new Set(['wrong-key', 'malformed-key', 'out-of-credit']);

/** Asks for the balance, which says most, then for the model list. */
export async function checkAccount(ctx: Context, channel: LoadedChannel): Promise<AccountState> {
  const byBalance = await toAccountState(async () => {
    const balance = await fetchVendorBalance(ctx, channel);
    if (balance === undefined) return 'unknown';
    return balance > 0 ? 'has-credit' : 'refused';
  });
  if (byBalance !== 'unknown') return byBalance;
  return toAccountState(async () => ((await fetchVendorModels(ctx, channel)) === undefined ? 'unknown' : 'valid-key'));
}

async function toAccountState(ask: () => Promise<AccountState>): Promise<AccountState> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof VendorFailure)) throw error;
    return refusals.has(error.problem) ? 'refused' : 'unknown';
  }
}
