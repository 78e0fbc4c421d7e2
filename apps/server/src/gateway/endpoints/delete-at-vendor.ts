import { planResponseDeletion } from '@switchyard/relay';
import type { VendorTokenCache } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { runInBackground } from '../../platform/log.ts';
import type { StoredResponse } from '../../responses/responses.ts';
import { findAccountKey } from '../responses/stored-responses.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export interface DeleteAtVendorParts {
  snapshot: Snapshot;
  vendorTokens: VendorTokenCache;
}

const DELETE_TIMEOUT_MS = 10_000;

type VendorResponseRef = Pick<StoredResponse, 'id' | 'channelId' | 'keyId'>;

/**
 * Returns a function that deletes a response at the provider in the background after the user has deleted it here.
 */
export function createDeleteAtVendor(
  ctx: Pick<Context, 'log' | 'outbound'>,
  parts: DeleteAtVendorParts,
): (stored: VendorResponseRef) => void {
  return ({ id, channelId, keyId }: VendorResponseRef): void => {
    const channel = channelId === undefined ? undefined : parts.snapshot.channel(channelId);
    const key = channel && findAccountKey(channel, { keyId });
    if (channel === undefined || key === undefined) return;
    const { target } = key;
    const { proxy } = channel;
    runInBackground(ctx.log, 'delete a response at its provider', async () => {
      const account = await parts.vendorTokens.signIn(target, proxy);
      const request = planResponseDeletion({ ...account, model: '' }, id);
      if (request === undefined) return;
      const { status } = await ctx.outbound.fetchJson({
        method: 'DELETE',
        ...request,
        proxy,
        timeoutMs: DELETE_TIMEOUT_MS,
      });
      if (status >= 400 && status !== 404)
        ctx.log.warn({ channel_id: channelId, status }, 'a provider did not delete a response');
    });
  };
}
