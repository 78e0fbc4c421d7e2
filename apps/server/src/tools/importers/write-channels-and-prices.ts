/** Imports channels and prices. */

import { type Price, savePrice } from '@switchyard/contract/catalog/prices';
import { findShippedPrice } from '../../catalog/catalog-updates/catalog-updates.ts';
import { findUnlistedRates, readShippedPrices, savePrices, toPrice, toPriceRow } from '../../catalog/prices/prices.ts';
import { importChannelRow } from '../../channels/registry/registry.ts';
import { createNameLookup } from '../../platform/model-prefix-lookup.ts';
import type { ImportRun } from './import-run-and-map.ts';
import type { SourceChannel, SourcePrice } from './source-installation.ts';
import type { MapSymbol } from './write-groups.ts';

export async function writeChannels(
  { trx, target, map, report }: ImportRun,
  channels: readonly SourceChannel[],
  symbolOf: MapSymbol,
): Promise<void> {
  const raise = computePriorityRaise(channels);
  const isNew = ({ id }: SourceChannel): boolean => map.find('channel', id) === undefined;
  if (raise > 0 && channels.some(isNew))
    report.remark(
      'channel',
      'all priorities are raised, because the lowest one here is 0; channels of earlier runs keep theirs',
      `by ${raise}`,
    );
  for (const channel of channels) {
    const { id, dialect, row, groups } = channel;
    report.count('channel', 'read');
    if (!isNew(channel)) {
      report.count('channel', 'known');
      continue;
    }
    const symbols = [...new Set(groups.map(symbolOf))];
    const raised = { ...row, priority: readPriority(channel) + raise };
    const taken = await importChannelRow(target, trx, raised, { source: dialect, groups: symbols });
    const which = `${id} (${taken.name})`;
    if (taken.id === undefined) {
      report.skip('channel', taken.refusal, which);
      continue;
    }
    await map.record('channel', id, taken.id);
    report.count('channel', 'new');
    for (const field of taken.leftOut) report.remark('channel', `the field ${field} is not supported`, which);
    for (const { field, from, to } of taken.clamped)
      report.remark('channel', `its ${field} is limited to the supported range`, `${which} ${from} → ${to}`);
  }
}

/** Returns what to add to all priorities, so that the lowest is at least 0 and their order remains. */
function computePriorityRaise(channels: readonly SourceChannel[]): number {
  return channels.reduce((raise, channel) => Math.max(raise, 0 - readPriority(channel)), 0);
}

/** Returns the priority; 0 for a channel without one, as in the source. */
function readPriority({ row }: SourceChannel): number {
  const priority = row['priority'];
  return typeof priority === 'number' ? priority : 0;
}

/**
 * Imports prices. They replace existing ones that are not locked, except for the rates of vendor tools and images that
 * the source doesn't have.
 */
export async function writePrices({ trx, map, report, now }: ImportRun, prices: readonly SourcePrice[]): Promise<void> {
  const here = (await trx.selectFrom('price').selectAll().execute()).map(toPrice);
  const priceOf = createNameLookup(here);
  const locked = new Set(here.flatMap((price) => (price.locked ? [price.model] : [])));
  const owners = new Map(readShippedPrices().map(({ model, channelType }) => [model, channelType]));
  const rows = new Map<string, ReturnType<typeof toPriceRow>>();
  for (const price of prices) {
    report.count('price', 'read');
    const wanted = withUnlistedRates(price, priceOf(price.model));
    const parsed = savePrice.safeParse({ ...wanted, channel_type: owners.get(price.model) ?? 0 });
    if (map.find('price', price.model) !== undefined) report.count('price', 'known');
    else if (!parsed.success)
      report.skip(
        'price',
        parsed.error.issues.some(({ path }) => path[0] === 'model')
          ? 'its model name is invalid'
          : 'its rates or tiers are outside the supported range',
        price.model,
      );
    else if (rows.has(price.model)) report.skip('price', 'its model already has a price in this import', price.model);
    else if (locked.has(parsed.data.model)) report.skip('price', 'the existing price is locked', price.model);
    else rows.set(price.model, toPriceRow(parsed.data));
  }
  await savePrices(trx, [...rows.values()], now);
  for (const model of rows.keys()) {
    await map.record('price', model, 0);
    report.count('price', 'new');
  }
}

/** @param present price that applies to the model now */
function withUnlistedRates(
  price: SourcePrice,
  present: Price | undefined,
): SourcePrice & { image_rates: Price['image_rates'] } {
  const { model, type, rates } = price;
  const shipped = findShippedPrice(model);
  const known = [present, shipped && { ...shipped, image_rates: { ...shipped.imageRates } }];
  const kept = findUnlistedRates({ type, image: rates.image }, known);
  return { ...price, rates: { ...kept.rates, ...rates }, image_rates: price.imageRates ?? kept.image_rates };
}
