import type { catalogue } from '@switchyard/contract/catalog/catalog-updates';
import { removeModelsFromChannels, replaceUpstreamModel } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import {
  applyList,
  applySuggestedPrices,
  compareSource,
  compareStoredList,
  dismissList,
  readCatalogueNotices,
  setModelLock,
} from './catalog-updates.ts';

/** Maximum models named in an audit entry. The price versions record the rest. */
const NAMES_KEPT = 500;

export const catalogueRoutes = (ctx: Context): Handlers<typeof catalogue> => ({
  notices: () => readCatalogueNotices(ctx),
  compare: async ({ body }, call) => {
    const compared = await compareSource(ctx, body);
    const { source, entries } = compared;
    await audit(ctx, call, {
      action: 'catalogue.compare',
      target: `catalogue:${compared.id}`,
      detail: { source, entries },
    });
    return compared;
  },
  get: ({ params }) => compareStoredList(ctx, params.id),
  apply: async ({ params, body }, call) => {
    const { source, ...counts } = await applyList(ctx, params.id, body);
    const models = body.lines.slice(0, NAMES_KEPT).map(({ model }) => model);
    await audit(ctx, call, {
      action: 'catalogue.apply',
      target: `catalogue:${params.id}`,
      detail: { source, mode: body.mode, confirmed: body.confirmed, ...counts, models },
    });
    return counts;
  },
  dismiss: async ({ params }, call) => {
    await dismissList(ctx, params.id);
    await audit(ctx, call, { action: 'catalogue.dismiss', target: `catalogue:${params.id}` });
  },
  lock: async ({ body }, call) => {
    await setModelLock(ctx, body.model, body.locked);
    await audit(ctx, call, { action: 'catalogue.lock', target: `price:${body.model}`, detail: body });
  },
  adopt: async ({ body }, call) => {
    const models = await applySuggestedPrices(ctx, body.models);
    await audit(ctx, call, { action: 'catalogue.adopt', target: 'price', detail: { models } });
    return { added: models.length };
  },
  withdraw: async ({ body }, call) => {
    const ids = await removeModelsFromChannels(ctx, body.models, body.as, call.caller.userId);
    await audit(ctx, call, { action: 'catalogue.withdraw', target: 'channel', detail: { ...body, ids } });
    return { channels: ids.length };
  },
  replace: async ({ body }, call) => {
    const ids = await replaceUpstreamModel(ctx, body.model, body.by);
    await audit(ctx, call, { action: 'catalogue.replace', target: 'channel', detail: { ...body, ids } });
    return { channels: ids.length };
  },
});
