import type { apiKeys } from '@switchyard/contract/accounts/api-keys';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
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
  create: ({ body }, { caller }) => createApiKey(ctx, caller, body),
  update: ({ query, body }, { caller }) =>
    updateApiKey(ctx, caller, query.status_only === undefined ? body : { id: body.id, status: body.status }),
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
  remove: ({ params }, { caller }) => removeApiKey(ctx, caller, params.id),
  reveal: async ({ params }, call) => {
    const key = await revealApiKey(ctx, call.caller, params.id);
    await audit(ctx, call, { action: 'api-key.reveal', target: `api_key:${params.id}` });
    return key;
  },
  rotate: async ({ params }, call) => {
    const key = await rotateApiKey(ctx, call.caller, params.id);
    await audit(ctx, call, { action: 'api-key.rotate', target: `api_key:${params.id}` });
    return key;
  },
});
