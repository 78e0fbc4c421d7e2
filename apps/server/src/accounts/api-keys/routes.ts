import type { apiKeys } from '@switchyard/contract/accounts/api-keys';
import type { Context } from '../../context.ts';
import { audit, auditFirst, diffRecords, shortenLists } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import {
  createApiKey,
  getApiKey,
  listApiKeys,
  removeApiKey,
  revealApiKey,
  rotateApiKey,
  updateApiKey,
} from './api-keys.ts';
import { listUserKeys, setKeyRatio, setKeyStatus } from './user-api-keys.ts';

export const apiKeyRoutes = (ctx: Context): Handlers<typeof apiKeys> => ({
  list: ({ query }, { caller }) => listApiKeys(ctx, caller, query),
  get: ({ params }, { caller }) => getApiKey(ctx, caller, params.id),
  create: async ({ body }, call) => {
    const key = await createApiKey(ctx, call.caller, body);
    await audit(ctx, call, {
      action: 'api-key.create',
      target: `api_key:${key.id}`,
      detail: { ...body, setting: shortenLists(body.setting) },
    });
    return key;
  },
  update: async ({ query, body }, call) => {
    const update = query.status_only === undefined ? body : { id: body.id, status: body.status };
    const { id, ...fields } = update;
    const before = await getApiKey(ctx, call.caller, id);
    const key = await updateApiKey(ctx, call.caller, update);
    // Only the sent fields, because requests change the quota at the same time.
    const changes = diffRecords(before, key, Object.keys(fields));
    if (Object.keys(changes).length > 0)
      await audit(ctx, call, {
        action: 'api-key.update',
        target: `api_key:${id}`,
        detail: { changes: shortenLists(changes) },
      });
    return key;
  },
  listOf: ({ params }, { caller }) => listUserKeys(ctx, caller, params.id),
  switch: async ({ params, body }, call) => {
    await setKeyStatus(ctx, call.caller, params.id, body.status);
    const action = body.status === 'enabled' ? 'api-key.enable' : 'api-key.disable';
    await audit(ctx, call, { action, target: `api_key:${params.id}` });
  },
  setRatio: async ({ params, body }, call) => {
    await setKeyRatio(ctx, call.caller, params.id, body.ratio);
    await audit(ctx, call, { action: 'api-key.ratio', target: `api_key:${params.id}`, detail: body });
  },
  remove: async ({ params }, call) => {
    const { name } = await getApiKey(ctx, call.caller, params.id);
    await removeApiKey(ctx, call.caller, params.id);
    await audit(ctx, call, { action: 'api-key.delete', target: `api_key:${params.id}`, detail: { name } });
  },
  reveal: async ({ params }, call) => {
    const key = await revealApiKey(ctx, call.caller, params.id);
    await auditFirst(ctx, call, { action: 'api-key.reveal', target: `api_key:${params.id}` });
    return key;
  },
  rotate: async ({ params }, call) => {
    const key = await rotateApiKey(ctx, call.caller, params.id);
    await audit(ctx, call, { action: 'api-key.rotate', target: `api_key:${params.id}` });
    return key;
  },
});
