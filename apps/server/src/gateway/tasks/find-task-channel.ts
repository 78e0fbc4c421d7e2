import { loadChannel, type VendorTokenCache } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import type { FindAccount } from '../../tasks/tasks.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** The account that has a task, also when its channel or its key serves no requests any more. */
export function createFindAccount(ctx: Context, snapshot: Snapshot, tokens: VendorTokenCache): FindAccount {
  return async (channelId, keyId) => {
    const served = snapshot.channel(channelId);
    const inUse = served?.keys.find(({ id }) => id === keyId);
    const channel =
      served === undefined || inUse === undefined ? await loadChannel(ctx, channelId, keyId) : served;
    const target = inUse?.target ?? channel.target;
    return { target: { ...(await tokens.signIn(target, channel.proxy)), model: '' }, proxy: channel.proxy };
  };
}
