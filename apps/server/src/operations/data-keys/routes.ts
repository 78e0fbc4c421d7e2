import type { secrets } from '@switchyard/contract/operations/data-keys';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { audit } from '../audit/audit.ts';
import { readSecretState, rotateDataKey } from './data-keys.ts';

export const secretRoutes = (ctx: Context): Handlers<typeof secrets> => ({
  state: () => readSecretState(ctx),
  rotate: async (_input, call) => {
    const state = await rotateDataKey(ctx);
    await audit(ctx, call, { action: 'secret.rotate', target: `data_key:${ctx.vault.newestKey}` });
    return state;
  },
});
