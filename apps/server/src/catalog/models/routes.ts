import type { models } from '@switchyard/contract/catalog/models';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { listAvailableModels, listCallableModels } from './models.ts';

export const modelRoutes = (ctx: Context): Handlers<typeof models> => ({
  available: (_input, { caller }) => listAvailableModels(ctx, caller),
  own: (_input, { caller }) => listCallableModels(ctx, caller),
});
