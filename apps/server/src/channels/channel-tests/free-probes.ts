/** Free checks: calls that vendors don't charge for, and what they prove about a channel. */
import { freeProbes, type TestProbe } from '@switchyard/contract/channels/channel-tests';
import { createCountTest } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import {
  countVendorTokens,
  fetchVendorBalance,
  fetchVendorModels,
  type LoadedChannel,
  resolveUpstreamModel,
  VendorCallError,
} from '../registry/registry.ts';

type FreeKind = (typeof freeProbes)[number];
export type PaidKind = Exclude<TestProbe, FreeKind>;

export interface FreeProbe {
  /** @throws VendorCallError */
  run(ctx: Context, signal: AbortSignal): Promise<void>;
}

export function isFree(kind: TestProbe): kind is FreeKind {
  return freeProbes.some((free) => free === kind);
}

/** Returns undefined if the vendor has no such endpoint for the channel's model. */
export function createFreeProbe(kind: FreeKind, model: string, channel: LoadedChannel): FreeProbe | undefined {
  const { provider } = channel.target;
  switch (kind) {
    case 'token-count': {
      const target = { ...channel.target, model: resolveUpstreamModel(channel, model) };
      const request = createCountTest(model, target);
      return request && { run: (ctx, signal) => countVendorTokens(ctx, channel, request, { signal }) };
    }
    case 'model-list':
      return (
        provider.listModels && { run: async (ctx, signal) => void (await fetchVendorModels(ctx, channel, signal)) }
      );
    case 'balance':
      return provider.readBalance && { run: (ctx, signal) => expectCredit(ctx, channel, signal) };
  }
}

/** Returns the kind that proves most; undefined without one. */
export function selectBestFreeKind(model: string, channel: LoadedChannel): FreeKind | undefined {
  return freeProbes.find((kind) => createFreeProbe(kind, model, channel) !== undefined);
}

/** @throws VendorCallError */
async function expectCredit(ctx: Context, channel: LoadedChannel, signal: AbortSignal): Promise<void> {
  const balance = await fetchVendorBalance(ctx, channel, signal);
  if (balance !== undefined && balance <= 0)
    throw new VendorCallError('out-of-credit', 'The account has no credit left');
}
