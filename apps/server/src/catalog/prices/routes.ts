import type { prices } from '@switchyard/contract/catalog/prices';
import type { Context } from '../../context.ts';
import { audit, diffRecords } from '../../operations/audit/audit.ts';
import { checkUnchanged } from '../../platform/http/app-error.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import {
  createPrice,
  getPrice,
  listMissingRates,
  listPrices,
  listUnpricedModelNames,
  listVersions,
  loadPrices,
  removePrice,
  removePrices,
  savePriceGroup,
  syncShippedPrices,
  updatePrice,
} from './prices.ts';

export const priceRoutes = (ctx: Context): Handlers<typeof prices> => ({
  list: ({ query }) => listPrices(ctx, query),
  all: () => loadPrices(ctx),
  unpriced: () => listUnpricedModelNames(ctx),
  missingRates: () => listMissingRates(ctx),
  versions: ({ params }) => listVersions(ctx, params.model),
  get: ({ params }) => getPrice(ctx, params.model),
  create: async ({ body }, call) => {
    const price = await createPrice(ctx, body);
    await audit(ctx, call, { action: 'price.create', target: `price:${price.model}`, detail: body });
    return price;
  },
  update: async ({ params, body: { version, input, output, ...body } }, call) => {
    const before = (await loadPrices(ctx)).find(({ model }) => model === params.model);
    if (before !== undefined) checkUnchanged(before, { input, output });
    const price = await updatePrice(ctx, params.model, body, version);
    await audit(ctx, call, {
      action: 'price.update',
      target: `price:${params.model}`,
      detail: { changes: diffRecords(before ?? {}, price, Object.keys(body)) },
    });
    return price;
  },
  remove: async ({ params }, call) => {
    await removePrice(ctx, params.model);
    await audit(ctx, call, { action: 'price.delete', target: `price:${params.model}` });
  },
  saveGroup: async ({ body }, call) => {
    const counts = await savePriceGroup(ctx, body);
    const { versions: _looked, ...price } = body;
    await audit(ctx, call, { action: 'price.update', target: 'price', detail: { ...price, ...counts } });
    return counts;
  },
  removeMany: async ({ body: { models, versions } }, call) => {
    const count = await removePrices(ctx, models, versions);
    await audit(ctx, call, { action: 'price.delete', target: 'price', detail: { models } });
    return count;
  },
  sync: async ({ query }, call) => {
    const counts = await syncShippedPrices(ctx, query.updateMode);
    await audit(ctx, call, { action: 'price.sync', target: 'price', detail: { ...query, ...counts } });
    return counts;
  },
});
