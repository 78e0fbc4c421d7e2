import type { settings } from '@switchyard/contract/settings';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { audit } from '../audit/audit.ts';
import { listOptions, saveOptions } from './settings.ts';

export const settingRoutes = (ctx: Context): Handlers<typeof settings> => ({
  list: () => listOptions(ctx.settings),
  update: async ({ body }, call) => {
    await saveOptions(ctx, [body]);
    await audit(ctx, call, { action: 'setting.update', target: body.key });
    return null;
  },
  updateMany: async ({ body }, call) => {
    await saveOptions(ctx, body);
    await audit(ctx, call, { action: 'setting.update', target: body.map((option) => option.key).join(',') });
    return null;
  },
});
