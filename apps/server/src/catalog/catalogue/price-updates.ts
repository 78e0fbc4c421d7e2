/** Catalogue announcements for operators: models without a price, models about to retire, changes to approve. */
import {
  type CatalogueNotices,
  RETIRES_SOON_DAYS,
  type ShortPrice,
} from '@switchyard/contract/catalog/catalogue';
import { offeredModels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { keptUntilChanged } from '../../platform/kept-until-changed.ts';
import { createFactsLookup, loadFacts } from '../models/models.ts';
import {
  listUnpriced,
  loadPriceLookup,
  readShippedPrices,
  rowOf,
  type ShippedPrice,
  savePrices,
} from '../prices/prices.ts';
import { pendingChanges } from './comparison.ts';
import { lastRefresh } from './refresh.ts';

const SECONDS_PER_DAY = 86_400;

/** Cheap however many channels there are: what takes long to find is kept in memory. */
export async function catalogueNotices(ctx: Context): Promise<CatalogueNotices> {
  return {
    refresh: await lastRefresh(ctx),
    pending: await pendingChanges(ctx),
    unpriced: await unpricedModels(ctx),
    retiring: await retiringModels(ctx),
  };
}

const unpricedModels = keptUntilChanged(
  ['channels', 'prices'],
  async (ctx: Context): Promise<CatalogueNotices['unpriced']> =>
    (await listUnpriced(ctx)).map((model) => {
      const rates = suggestedPrice(model)?.rates;
      return { model, suggested: rates === undefined ? null : { input: rates.input, output: rates.output } };
    }),
);

/** Those that have a price already, or for which none is known, are left out. @returns the models that got a price */
export async function adoptPrices(ctx: Context, models: readonly string[]): Promise<string[]> {
  const priceOf = await loadPriceLookup(ctx);
  const rows = [...new Set(models)].flatMap((model) => {
    const price = priceOf(model) === undefined ? suggestedPrice(model) : undefined;
    if (price === undefined) return [];
    const { channelType: channel_type, type, rates, imageRates: image_rates, tiers } = price;
    return [
      rowOf({ model, type, channel_type, rates, image_rates: { ...image_rates }, tiers, locked: false }),
    ];
  });
  await ctx.db.writer.transaction().execute((trx) => savePrices(trx, rows, nowSeconds(ctx.clock)));
  await ctx.changes.publish({ topic: 'prices' });
  return rows.map(({ model }) => model);
}

let suggestions: ((model: string) => ShippedPrice | undefined) | undefined;

/** A price of the shipped list by the model's name, also without its vendor and date. */
function suggestedPrice(model: string): ShippedPrice | undefined {
  suggestions ??= createFactsLookup(readShippedPrices());
  return suggestions(model);
}

async function retiringModels(ctx: Context): Promise<CatalogueNotices['retiring']> {
  const now = nowSeconds(ctx.clock);
  const today = dateOf(now);
  const soon = dateOf(now + RETIRES_SOON_DAYS * SECONDS_PER_DAY);
  const ending = await endingModels(ctx);
  return ending
    .filter(({ retires }) => retires <= soon)
    .map((model) => ({ ...model, retired: model.retires <= today }));
}

/** Those that are asked for at vendors and of which an end is known, however far. */
const endingModels = keptUntilChanged(['channels', 'models', 'prices'], async (ctx: Context) => {
  const factsOf = await loadFacts(ctx);
  const asked = new Set((await offeredModels(ctx)).flatMap(({ upstream }) => upstream));
  const priceOf = await loadPriceLookup(ctx);
  const shortPrice = (model: string | null): ShortPrice | null => {
    const price = model === null ? undefined : priceOf(model);
    if (price === undefined) return null;
    return { type: price.type, input: price.rates.input, output: price.rates.output };
  };
  return [...asked].toSorted().flatMap((model) => {
    const { retires, successor = null } = factsOf(model) ?? {};
    if (retires === undefined) return [];
    return [{ model, retires, successor, price: shortPrice(model), successor_price: shortPrice(successor) }];
  });
});

const dateOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);
