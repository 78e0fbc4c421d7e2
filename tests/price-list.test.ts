import { calcPrice, type Provider, waitForUpdate } from '@pydantic/genai-prices';
import { expect, test } from 'vitest';
import { readShippedModels } from '../apps/server/src/catalog/models/models.ts';
import { RATE_OF_USD_PER_MILLION, RATE_OF_USD_PER_UNIT } from '../packages/contract/src/catalog/price-rates.ts';
import { findEntry } from '../scripts/model-names.ts';
import { readAddedRates, readOwnPrices } from '../scripts/own-prices.ts';
import { listPrices } from '../scripts/price-list.ts';

const now = new Date('2026-11-21T12:00:00Z');
const providers = (await waitForUpdate()) ?? [];
const real = listPrices(providers, now);

function provider(id: string, models: Provider['models']): Provider {
  return { id, name: id, api_pattern: id, models };
}

/** The real data with one provider's models replaced. */
function withModels(id: string, models: Provider['models']): Provider[] {
  return providers.map((known) => (known.id === id ? provider(id, models) : known));
}

test.each(['openai', 'anthropic', 'mistral', 'moonshotai', 'x-ai'])(
  'gives every id of %s the input price that its own rules give it',
  (id) => {
    const models = providers.find((candidate) => candidate.id === id)?.models ?? [];
    let compared = 0;
    for (const model of models) {
      const oracle = calcPrice({ input_tokens: 1_000_000 }, model.id, { providerId: id, timestamp: now });
      const input = oracle?.model_price['input_mtok'];
      if (typeof input !== 'number' || Array.isArray(oracle?.model.prices)) continue;
      compared += 1;
      expect(findEntry(real.prices, model.id.toLowerCase())?.rates.input, model.id).toBe(
        Math.round(input * RATE_OF_USD_PER_MILLION),
      );
    }
    expect(compared).toBeGreaterThan(3);
  },
);

test('prefers the vendor to a host that offers the same name', () => {
  const { prices } = real;
  expect(findEntry(prices, 'gpt-4o')?.owner).toBe('openai');
  expect(findEntry(prices, 'claude-3-7-sonnet-20250219')?.owner).toBe('anthropic');
  expect(findEntry(prices, 'openai/gpt-4o')?.owner).toBe('openrouter');
});

test('follows the source when two of its rules match a name', () => {
  const models = [
    { id: 'x', match: { starts_with: 'x-' }, prices: { input_mtok: 1, output_mtok: 1 } },
    { id: 'x-mini', match: { starts_with: 'x-mini' }, prices: { input_mtok: 2, output_mtok: 2 } },
  ];
  // The source takes the first rule that matches, which for `x-mini` is the first model's.
  const { prices } = listPrices(withModels('arcee', models), now);
  expect(findEntry(prices, 'x-mini-2')?.rates.input).toBe(RATE_OF_USD_PER_MILLION);
});

test('uses the price that has begun, and reports its simplifications', () => {
  const match = { equals: 'dated' };
  const prices = [
    { prices: { input_mtok: 1, output_mtok: 1 } },
    {
      constraint: { type: 'start_date' as const, start_date: '2026-01-01' },
      prices: { input_mtok: 2, output_mtok: 2 },
    },
    {
      constraint: { type: 'start_date' as const, start_date: '2027-01-01' },
      prices: { input_mtok: 3, output_mtok: 3 },
    },
  ];
  const list = listPrices(withModels('arcee', [{ id: 'dated', match, prices }]), now);
  expect(findEntry(list.prices, 'dated')?.rates.input).toBe(2 * RATE_OF_USD_PER_MILLION);
  expect(list.simplified.some((line) => line.startsWith('perplexity sonar-pro:'))).toBe(true);
});

test('prices cached audio and images like uncached ones if the source has no price for cached tokens', () => {
  const prices = { input_mtok: 1, input_audio_mtok: 8, input_image_mtok: 4, output_mtok: 9 };
  const cached = { cache_read_mtok: 0.5, cache_audio_read_mtok: 0.7, cache_image_read_mtok: 0.6 };
  const models = [
    { id: 'plain', match: { equals: 'plain' }, prices },
    { id: 'cached', match: { equals: 'cached' }, prices: { ...prices, ...cached } },
  ];
  const list = listPrices(withModels('arcee', models), now).prices;
  const rates = (audio: number, image: number) => ({
    cachedAudioInput: audio * RATE_OF_USD_PER_MILLION,
    cachedImageInput: image * RATE_OF_USD_PER_MILLION,
  });
  expect(findEntry(list, 'plain')?.rates).toMatchObject(rates(8, 4));
  expect(findEntry(list, 'plain')?.rates.cachedRead).toBeUndefined();
  expect(findEntry(list, 'cached')?.rates).toMatchObject(rates(0.7, 0.6));
});

test('lists dated releases by a pattern', () => {
  const match = { or: [{ equals: 'm-1' }, { regex: '^m-1-\\d{8}$' }] };
  const { prices } = listPrices(withModels('arcee', [{ id: 'm-1', match, prices: { input_mtok: 1 } }]), now);
  expect(findEntry(prices, 'm-1-20270101')?.owner).toBe('arcee');
  expect(findEntry(prices, 'm-1-large')).toBeUndefined();
});

test('reads context-length tiers, each with all its rates, and prices for tool calls', () => {
  const price = findEntry(real.prices, 'gpt-5.4');
  expect(price?.rates).toMatchObject({
    input: 2.5 * RATE_OF_USD_PER_MILLION,
    webSearch: (10 * RATE_OF_USD_PER_UNIT) / 1_000,
    fileSearch: (2.5 * RATE_OF_USD_PER_UNIT) / 1_000,
  });
  expect(price?.tiers).toMatchObject([
    { above: 271_999, rates: { input: 5 * RATE_OF_USD_PER_MILLION, output: 22.5 * RATE_OF_USD_PER_MILLION } },
  ]);
});

test('prices one-hour cache writes of Claude at twice the input if the source has one price for writes', () => {
  const prices = {
    input_mtok: { base: 4, tiers: [{ start: 200_000, price: 8 }] },
    cache_write_mtok: { base: 5, tiers: [{ start: 200_000, price: 10 }] },
    output_mtok: 1,
  };
  const models = ['claude-new', 'other-new'].map((id) => ({ id, match: { equals: id }, prices }));
  const list = listPrices(withModels('arcee', models), now).prices;
  const rates = (cacheWrite1h: number) => ({ cacheWrite1h: cacheWrite1h * RATE_OF_USD_PER_MILLION });
  const [claude, other] = models.map(({ id }) => findEntry(list, id));
  expect(claude).toMatchObject({ rates: rates(8), tiers: [{ rates: rates(16) }] });
  expect(other).toMatchObject({ rates: rates(5), tiers: [{ rates: rates(10) }] });
});

test('converts prices for an hour of audio to seconds', () => {
  // 0.36 USD.
  expect(findEntry(real.prices, 'whisper-1')?.rates).toEqual({
    input: 0,
    output: 0,
    second: RATE_OF_USD_PER_UNIT / 10_000,
  });
});

test('prefers our own prices to those of the source', () => {
  const own = readOwnPrices();
  const price = { ...own.find(({ model }) => model === 'tts-1'), model: 'gpt-4o', owner: 'openai' };
  const { prices } = listPrices(providers, now, [{ ...price, rates: { input: 1, output: 2 } }]);
  expect(prices.filter(({ model }) => model === 'gpt-4o')).toHaveLength(1);
  expect(findEntry(prices, 'gpt-4o')?.rates).toEqual({ input: 1, output: 2 });
  expect(own.every(({ source }) => source?.startsWith('https://'))).toBe(true);
});

test('adds the price of a search to models whose source has none, or a wrong one', () => {
  const { prices } = listPrices(providers, now, [], readAddedRates());
  const thousand = (model: string, kind: 'webSearch' | 'mapsGrounding' = 'webSearch'): number =>
    ((findEntry(prices, model)?.rates[kind] ?? 0) * 1_000) / RATE_OF_USD_PER_UNIT;
  expect(thousand('gemini-2.5-pro')).toBe(35);
  expect(thousand('gemini-3-pro-preview')).toBe(14);
  expect(thousand('gemini-2.5-pro', 'mapsGrounding')).toBe(25);
  expect(thousand('gemini-3-pro-preview', 'mapsGrounding')).toBe(14);
  expect(thousand('claude-3-5-haiku-latest')).toBe(10);
  expect(thousand('gpt-4o')).toBe(10);
  expect(thousand('gpt-4o-search-preview')).toBe(25);
  expect(thousand('gpt-4o-mini-search-preview-2025-03-11')).toBe(25);
  expect(thousand('google/gemini-2.5-pro')).toBe(0);
  expect(thousand('perplexity/sonar')).toBe(5);
  expect(thousand('sonar-pro')).toBe(5);
  expect(thousand('r1-1776')).toBe(0);
});

test.each<[model: string, usd: Partial<Record<'audioInput' | 'audioOutput' | 'imageOutput', number>>]>([
  ['gpt-4o-audio-preview', { audioInput: 40, audioOutput: 80 }],
  ['gpt-4o-audio-preview-2025-06-03', { audioInput: 40, audioOutput: 80 }],
  ['gpt-4o-mini-audio-preview', { audioInput: 10, audioOutput: 20 }],
  ['openai/gpt-4o-audio-preview', { audioInput: 40, audioOutput: 80 }],
  ['openai/gpt-audio', { audioInput: 32, audioOutput: 64 }],
  ['openai/gpt-audio-mini', { audioInput: 0.6, audioOutput: 2.4 }],
  ['google/gemini-2.5-flash-image', { imageOutput: 30 }],
  ['google/gemini-3-pro-image-preview', { imageOutput: 120 }],
  ['google/gemini-3.1-flash-image-preview', { imageOutput: 60 }],
])('adds the prices of audio and images of %s, whose source only has those of text', (model, usd) => {
  const { prices } = listPrices(providers, now, [], readAddedRates());
  const wanted = Object.entries(usd).map(([name, price]) => [name, Math.round(price * RATE_OF_USD_PER_MILLION)]);
  expect(findEntry(prices, model)?.rates).toMatchObject(Object.fromEntries(wanted));
});

/** Models whose whole output is audio or images, so that the output price is theirs. */
const onlyMedia = /tts|gpt-image-(1|1-mini|2)(-\d{4}.*)?$/;

test('has a price of the audio and the images that a model returns besides text', () => {
  const { prices } = listPrices(providers, now, readOwnPrices(), readAddedRates());
  const missing = readShippedModels().flatMap(({ model, output = [] }) => {
    const price = findEntry(prices, model.replace(/\*$/, ''));
    if (price === undefined || price.type === 'times' || onlyMedia.test(model)) return [];
    const { rates, image_rates } = price;
    const lacksAudio = output.includes('audio') && rates.audioOutput == null && rates.character == null;
    const lacksImages =
      output.includes('image') && rates.imageOutput == null && rates.image == null && image_rates === undefined;
    return lacksAudio || lacksImages ? [model] : [];
  });
  expect(missing).toEqual([]);
});
