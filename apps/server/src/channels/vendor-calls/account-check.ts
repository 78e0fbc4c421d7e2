/** Checks a key and its account by free calls: the balance, or the list of models. */
import type { FailureClass } from '@switchyard/contract/codes';
import type { Context } from '../../context.ts';
import type { LoadedChannel } from '../registry/loaded-channel.ts';
import { VendorCallError } from './vendor-call-error.ts';
import { fetchVendorBalance, fetchVendorModels } from './vendor-reads.ts';

/** `has-credit` implies a valid key; `valid-key` says nothing about credit. */
export type AccountState = 'refused' | 'has-credit' | 'valid-key' | 'unknown';

/** `no-permission` is not included: a key without the permission for one of these reads may still be usable. */
const refusals: ReadonlySet<FailureClass> = new Set(['wrong-key', 'malformed-key', 'out-of-credit']);

/** Queries the balance, which is most informative, then the model list. */
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
    if (!(error instanceof VendorCallError)) throw error;
    return refusals.has(error.problem) ? 'refused' : 'unknown';
  }
}
