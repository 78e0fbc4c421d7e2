/**
 * Writes the lists of models and prices that the product ships, from the data of genai-prices, `model-facts.json` and
 * `own-prices.json`. Run it after one of these has changed:
 *   node scripts/update-shipped-lists.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForUpdate } from '@pydantic/genai-prices';
import { usageCounters } from '../packages/relay/src/model/usage.ts';
import { listKnownModels, readOwnModelMetadata } from './model-list.ts';
import { readAddedRates, readOwnPrices } from './own-prices.ts';
import { type ListedPrice, listPrices } from './price-list.ts';

const MODELS_TARGET = 'apps/server/src/catalog/models/shipped-models.json';
const MODELS_MIN = 300;
const PRICES_TARGET = 'apps/server/src/catalog/prices/shipped-prices.json';
const PRICES_MIN = 500;

const root = join(import.meta.dirname, '..');
const now = new Date();

/**
 * Writes a list: a head with its source, and one line for each entry, so that a change can be reviewed.
 * @param path path from the repository's root @param name name of the list in the file
 */
function writeShippedList(path: string, name: string, entries: readonly object[]): void {
  const manifest: { version: string; license: string } = JSON.parse(
    readFileSync(join(root, 'node_modules/@pydantic/genai-prices/package.json'), 'utf8'),
  );
  const head = Object.entries({
    source: 'https://github.com/pydantic/genai-prices',
    version: manifest.version,
    licence: manifest.license,
    date: now.toISOString().slice(0, 10),
  }).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
  writeFileSync(join(root, path), ['{', ...head, `  "${name}": [`, lines, '  ]', '}', ''].join('\n'));
}

function sortFields({ model, owner, type, rates, image_rates, tiers, source }: ListedPrice): object {
  const sortedTiers = tiers?.map((tier) => ({ above: tier.above, rates: sortRates(tier.rates) }));
  return { model, owner, type, rates: sortRates(rates), image_rates, tiers: sortedTiers, source };
}

function sortRates(rates: ListedPrice['rates']): Record<string, number> {
  return Object.fromEntries(usageCounters.flatMap((name) => (rates[name] == null ? [] : [[name, rates[name]]])));
}

const providers = await waitForUpdate();
if (providers === null) throw new Error('genai-prices has no data');

const models = listKnownModels(providers, readOwnModelMetadata());
if (models.length < MODELS_MIN) throw new Error(`Only ${models.length} models were found; the data's form has changed`);

const { prices, simplified, skipped } = listPrices(providers, now, readOwnPrices(), readAddedRates());
if (prices.length < PRICES_MIN) throw new Error(`Only ${prices.length} prices were found; the data's form has changed`);

writeShippedList(MODELS_TARGET, 'models', models);
console.log(`${models.length} models → ${MODELS_TARGET}`);

writeShippedList(PRICES_TARGET, 'prices', prices.map(sortFields));
console.log(`${prices.length} prices → ${PRICES_TARGET}`);
console.log(`\nSimplified (${simplified.length}):\n  ${simplified.join('\n  ')}`);
console.log(`\nLeft out (${skipped.length}):\n  ${skipped.join('\n  ')}`);
