import type { channelKeys } from '@switchyard/contract/channels/channel-keys';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { addKeys, listKeys, removeKey, setKeyEnabled, testChannel } from '../registry/registry.ts';

export const channelKeyRoutes = (ctx: Context): Handlers<typeof channelKeys> => ({
  list: ({ params }) => listKeys(ctx, params.id),
  add: async ({ params: { id }, body }, call) => {
    const before = await listKeys(ctx, id);
    const keys = await addKeys(ctx, id, body.key);
    const added = keys.filter((key) => before.every((known) => known.id !== key.id));
    const detail = { added: added.map(({ hint }) => hint) };
    await audit(ctx, call, { action: 'channel.add-keys', target: `channel:${id}`, detail });
    return keys;
  },
  remove: async ({ params: { id, key } }, call) => {
    await removeKey(ctx, id, key);
    await audit(ctx, call, { action: 'channel.remove-key', target: `channel:${id}`, detail: { key } });
    return null;
  },
  switch: async ({ params: { id, key }, body: { in_use: inUse } }, call) => {
    const changed = await setKeyEnabled(ctx, id, key, inUse, call.caller.userId);
    const detail = { key: changed.hint, in_use: inUse };
    await audit(ctx, call, { action: 'channel.key-status', target: `channel:${id}`, detail });
    return changed;
  },
  test: async ({ params: { id, key }, query }, call) => {
    const result = await testChannel(ctx, id, { model: query.model, keyId: key, byHand: true });
    await audit(ctx, call, { action: 'channel.test', target: `channel:${id}`, detail: { key } });
    return result;
  },
});
