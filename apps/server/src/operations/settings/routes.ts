import type { settings } from '@switchyard/contract/operations/settings';
import type { Context } from '../../context.ts';
import type { Call, Handlers } from '../../platform/http/mount-routes.ts';
import { audit } from '../audit/audit.ts';
import { listHistory } from './setting-history.ts';
import { listOptions, listSecrets, type Option, saveOptions } from './settings.ts';

export const settingRoutes = (ctx: Context): Handlers<typeof settings> => ({
  list: () => listOptions(ctx.settings),
  secrets: () => listSecrets(ctx.settings),
  history: ({ query }) => listHistory(ctx, query),
  update: ({ body }, call) => saveAudited(ctx, call, [body]),
  updateMany: ({ body }, call) => saveAudited(ctx, call, body),
});

async function saveAudited(ctx: Context, call: Call<'root'>, options: readonly Option[]): Promise<void> {
  const changes = await saveOptions(ctx, call.caller, options);
  const target = Object.keys(changes).join(',');
  await audit(ctx, call, { action: 'setting.update', target, detail: { changes } });
}
