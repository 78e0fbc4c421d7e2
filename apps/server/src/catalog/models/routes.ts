import type { models } from '@switchyard/contract/catalog/models';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { availableModels, ownModels } from './models.ts';

export const modelRoutes = (ctx: Context): Handlers<typeof models> => ({
  available: (_input, { caller }) => availableModels(ctx, caller),
  own: (_input, { caller }) => ownModels(ctx, caller),
});
