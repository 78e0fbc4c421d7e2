/** Import of channels and prices. */
import { savePrice } from '@switchyard/contract/catalog/prices';
import { readShippedPrices, rowOf, savePrices } from '../../catalog/prices/prices.ts';
import { takeOverChannel } from '../../channels/registry/registry.ts';
import type { SourceChannel, SourcePrice } from './installation.ts';
import type { Run } from './run.ts';
import type { SymbolOf } from './write-groups.ts';

export async function writeChannels(
  { trx, target, map, report }: Run,
  channels: readonly SourceChannel[],
  symbolOf: SymbolOf,
): Promise<void> {
  for (const { id, dialect, row, groups } of channels) {
    report.count('channel', 'read');
    if (map.find('channel', id) !== undefined) {
      report.count('channel', 'known');
      continue;
    }
    const symbols = [...new Set(groups.map(symbolOf))];
    const taken = await takeOverChannel(target, trx, row, { source: dialect, groups: symbols });
    const which = `${id} (${taken.name})`;
    if (taken.id === undefined) {
      report.skip('channel', taken.refusal, which);
      continue;
    }
    await map.note('channel', id, taken.id);
    report.count('channel', 'new');
    for (const field of taken.leftOut) report.remark('channel', `the field ${field} is not supported`, which);
  }
}

/** Prices here give way, unless somebody has locked them. */
export async function writePrices(
  { trx, map, report, now }: Run,
  prices: readonly SourcePrice[],
): Promise<void> {
  const here = await trx.selectFrom('price').select(['model', 'locked']).execute();
  const locked = new Set(here.flatMap(({ model, locked }) => (locked === 1 ? [model] : [])));
  const owners = new Map(readShippedPrices().map(({ model, channelType }) => [model, channelType]));
  const rows = new Map<string, ReturnType<typeof rowOf>>();
  for (const price of prices) {
    report.count('price', 'read');
    const parsed = savePrice.safeParse({ ...price, channel_type: owners.get(price.model) ?? 0 });
    if (map.find('price', price.model) !== undefined) report.count('price', 'known');
    else if (!parsed.success) report.skip('price', 'its model name is invalid', price.model);
    else if (rows.has(price.model))
      report.skip('price', 'its model already has a price in this import', price.model);
    else if (locked.has(parsed.data.model)) report.skip('price', 'the existing price is locked', price.model);
    else rows.set(price.model, rowOf(parsed.data));
  }
  await savePrices(trx, [...rows.values()], now);
  for (const model of rows.keys()) {
    await map.note('price', model, 0);
    report.count('price', 'new');
  }
}
