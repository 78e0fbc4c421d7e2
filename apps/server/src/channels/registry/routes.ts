import type { channelKeys } from '@switchyard/contract/channels/channel-keys';
import type { channels } from '@switchyard/contract/channels/channels';
import type { RouteInput } from '@switchyard/contract/route';
import type { Context } from '../../context.ts';
import { audit, diffRecords } from '../../operations/audit/audit.ts';
import type { Call, Handlers } from '../../platform/http/mount-routes.ts';
import {
  addKeys,
  createChannels,
  fetchModels,
  getChannel,
  listChannels,
  listKeys,
  listProviders,
  readChannelHealth,
  removeChannel,
  removeChannels,
  removeKey,
  resumeChannel,
  setKeyEnabled,
  testChannel,
  updateBalance,
  updateChannel,
} from './registry.ts';

type UpdateChannel = RouteInput<(typeof channels)['update']>['body'];

/** Returns the details of a form for the audit log, without its secrets. */
function auditDetail<T extends { key?: unknown; model_headers?: unknown; proxy?: unknown }>(form: T) {
  const { key, model_headers: _headers, proxy: _proxy, ...detail } = form;
  return { ...detail, new_key: key !== undefined && key !== '' };
}

export const channelRoutes = (ctx: Context): Handlers<typeof channels> => ({
  list: ({ query }) => listChannels(ctx, query),
  get: ({ params }) => getChannel(ctx, params.id),
  create: async ({ body }, call) => {
    const created = await createChannels(ctx, body);
    for (const { id } of created)
      await audit(ctx, call, { action: 'channel.create', target: `channel:${id}`, detail: auditDetail(body) });
    return created;
  },
  update: ({ body }, call) => updateAudited(ctx, body, call),
  updateById: ({ params, body }, call) => updateAudited(ctx, { ...body, id: params.id }, call),
  remove: async ({ params }, call) => {
    await removeChannel(ctx, params.id);
    await audit(ctx, call, { action: 'channel.delete', target: `channel:${params.id}` });
  },
  removeDisabled: async (_input, call) => {
    const count = await removeChannels(ctx, 'disabled');
    await audit(ctx, call, { action: 'channel.delete-disabled', target: 'channel', detail: { count } });
    return count;
  },
  removeMany: async ({ body }, call) => {
    const count = await removeChannels(ctx, body);
    await audit(ctx, call, { action: 'channel.delete', target: 'channel', detail: body });
    return count;
  },
  test: async ({ params, query }, call) => {
    const result = await testChannel(ctx, params.id, { model: query.model, byHand: true });
    await audit(ctx, call, { action: 'channel.test', target: `channel:${params.id}` });
    return result;
  },
  health: ({ params }) => readChannelHealth(ctx, params.id),
  resume: async ({ params }, call) => {
    await resumeChannel(ctx, params.id);
    await audit(ctx, call, { action: 'channel.resume', target: `channel:${params.id}` });
  },
  fetchModels: ({ body }) => fetchModels(ctx, body),
  updateBalance: async ({ params }, call) => {
    const balance = await updateBalance(ctx, params.id);
    await audit(ctx, call, { action: 'channel.balance', target: `channel:${params.id}` });
    return { balance };
  },
  providers: () => listProviders(),
});

async function updateAudited(ctx: Context, body: UpdateChannel, call: Call<'channels.write'>) {
  const before = await getChannel(ctx, body.id);
  const channel = await updateChannel(ctx, body, call.caller.userId);
  const { key, ...fields } = body;
  await audit(ctx, call, {
    action: 'channel.update',
    target: `channel:${channel.id}`,
    // Both sides are masked as for administrators.
    detail: {
      changes: diffRecords(before, channel, Object.keys(fields)),
      ...(key === undefined || key === '' ? {} : { new_key: true }),
    },
  });
  return channel;
}

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
