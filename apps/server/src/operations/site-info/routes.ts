import type { status } from '@switchyard/contract/operations/site-info';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { readSiteInfo } from './site-info.ts';

export const statusRoutes = (ctx: Context): Handlers<typeof status> => ({
  get: () => readSiteInfo(ctx),
  notice: () => ctx.settings.notice,
  about: () => ctx.settings.about,
  homePage: () => ctx.settings.homePage,
});
