import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import {
  imageRates as imageRatesSchema,
  rates as ratesSchema,
  tiers as tiersSchema,
} from '@switchyard/contract/catalog/price-rates';
import { cachedTokens, emptyUsage, promptTokens, tokenCounters, type Usage } from '@switchyard/relay/usage';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { priceCall, RATIO_ONE } from '../../ledger/price-call.ts';

const shipped = z
  .object({
    date: z.iso.date(),
    prices: z.array(
      z.object({
        model: z.string(),
        owner: z.string(),
        type: z.enum(['tokens', 'times']).default('tokens'),
        rates: ratesSchema,
        image_rates: imageRatesSchema,
        tiers: tiersSchema,
        source: z.string().optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'shipped-prices.json'), 'utf8')));

const POINTS_PER_USD = 500_000;
const timestamp = new Date(`${shipped.date}T12:00:00Z`);

/** Our counters are disjoint, the oracle's overlap. */
function oracleUsage(usage: Usage): Record<string, number> {
  return {
    input_tokens: promptTokens(usage),
    cache_read_tokens: cachedTokens(usage),
    cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    cache_write_1h_tokens: usage.cacheWrite1h,
    input_audio_tokens: usage.audioInput + usage.cachedAudioInput,
    input_image_tokens: usage.imageInput + usage.cachedImageInput,
    cache_audio_read_tokens: usage.cachedAudioInput,
    cache_image_read_tokens: usage.cachedImageInput,
    output_tokens: usage.output + usage.reasoning + usage.audioOutput + usage.imageOutput,
    output_reasoning_tokens: usage.reasoning,
    output_audio_tokens: usage.audioOutput,
    output_image_tokens: usage.imageOutput,
    web_searches: usage.webSearch,
    storage_searches: usage.fileSearch,
  };
}

/** A name that the entry applies to and the oracle knows. */
function exampleName(model: string, owner: string): string {
  const stem = model.replace(/\*$/, '');
  const examples = [stem, `${stem}260101`, `${stem}26-01-01`];
  const name = examples.find((example) => calcPrice({}, example, { providerId: owner, timestamp }) !== null);
  if (name === undefined) throw new Error(`The oracle does not know ${model} of ${owner}`);
  return name;
}

/** Prices that depend on the hour or have a part for each request are simplified on purpose. */
function isExact(name: string, owner: string): boolean {
  const price = calcPrice({}, name, { providerId: owner, timestamp });
  if (price === null) return false;
  const byHour = Array.isArray(price.model.prices)
    ? price.model.prices.some(({ constraint }) => constraint?.type === 'time_of_date')
    : false;
  return !byHour && price.model_price['requests_kcount'] === undefined;
}

/** Returns whether the source has one price for all cache writes of a Claude model, whose longer ones cost more. */
function hasDerivedWriteRate(name: string, owner: string): boolean {
  if (!name.includes('claude')) return false;
  const price = calcPrice({}, name, { providerId: owner, timestamp })?.model_price;
  return price?.['cache_write_mtok'] !== undefined && price['cache_write_1h_mtok'] === undefined;
}

const tokens = fc.integer({ min: 0, max: 200_000 });
const calls = fc.integer({ min: 0, max: 20 });
const usages = fc
  .record({
    ...Object.fromEntries(tokenCounters.map((counter) => [counter, tokens])),
    webSearch: calls,
    fileSearch: calls,
  })
  .map((counters): Usage => Object.assign(emptyUsage(), counters));

/**
 * Price of a search in USD that the source lacks: of Google and Perplexity, and of OpenAI's search models, of which it
 * has 0.01 for the small one. https://ai.google.dev/gemini-api/docs/pricing,
 * https://docs.perplexity.ai/docs/getting-started/pricing, https://developers.openai.com/api/docs/pricing
 */
function searchUsd(model: string, owner: string): number {
  if (owner === 'openai' && model.startsWith('gpt-4o-search-preview')) return 0.025;
  if (owner === 'openai' && model.startsWith('gpt-4o-mini-search-preview')) return 0.015;
  if (owner === 'openrouter' && model.startsWith('perplexity/sonar')) return 0.005;
  if (owner === 'perplexity' && model.startsWith('sonar') && model !== 'sonar-deep-research') return 0.005;
  if (owner !== 'google' || !/^gemini-[123]/.test(model)) return 0;
  return model.startsWith('gemini-3') ? 0.014 : 0.035;
}

/** Models whose source has no price of their audio or their images. */
const withoutMediaPrice =
  /^(gpt-4o(-mini)?-audio|openai\/gpt-(4o-)?audio|google\/gemini-(2\.5-flash|3-pro|3\.1-flash)-image)/;

/** Omits rates that the source has no price for. */
function withoutUnpriced(model: string, owner: string, counted: Usage): Usage {
  const isDerived = hasDerivedWriteRate(exampleName(model, owner), owner);
  const usage = isDerived ? { ...counted, cacheWrite1h: 0 } : counted;
  return withoutMediaPrice.test(model) ? { ...usage, audioInput: 0, audioOutput: 0, imageOutput: 0 } : usage;
}

const exact = shipped.prices.filter(
  ({ model, owner, source }) => source === undefined && isExact(exampleName(model, owner), owner),
);

describe('the shipped price list', () => {
  test('ships a large, sorted price list that names every model once', () => {
    const names = shipped.prices.map(({ model }) => model);
    expect(names.length).toBeGreaterThan(1000);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(names.toSorted());
  });

  test('charges within one point of the source for any usage, tiers included', () => {
    expect(exact.length).toBeGreaterThan(900);
    fc.assert(
      fc.property(fc.constantFrom(...exact), usages, ({ model, owner, rates, tiers }, counted) => {
        const usage = withoutUnpriced(model, owner, counted);
        const rule = { model, version: 1, type: 'tokens' as const, rates, image_rates: {}, tiers };
        const { points } = priceCall(rule, { group: RATIO_ONE, key: RATIO_ONE }, usage);
        const provider = findProvider({ providerId: owner });
        if (provider === undefined) throw new Error(`The oracle does not know ${owner}`);
        const oracle = calcPrice(oracleUsage(usage), exampleName(model, owner), { provider, timestamp });
        const usd = (oracle?.total_price ?? Number.NaN) + searchUsd(model, owner) * usage.webSearch;
        const expected = Math.ceil(usd * POINTS_PER_USD);
        expect(Math.abs(points - expected), `${owner} ${model}`).toBeLessThanOrEqual(1);
      }),
      { numRuns: 3_000, seed: 7 },
    );
  });

  test.each<[string, Partial<Usage>, number]>([
    ['claude-opus-5', { cacheWrite1h: 1_000_000 }, 10],
    ['anthropic/claude-opus-5', { cacheWrite5m: 1_000_000 }, 6.25],
    ['anthropic/claude-opus-5', { cacheWrite1h: 1_000_000 }, 10],
    ['anthropic/claude-sonnet-4.5', { input: 200_001, cacheWrite1h: 1_000_000 }, 13.200006],
    ['claude-opus-5@*', { cacheWrite1h: 1_000_000 }, 10],
    ['eu.anthropic.claude-opus-5', { cacheWrite1h: 1_000_000 }, 11],
    ['global.anthropic.claude-haiku-4-5-20251001-v1:0', { cacheWrite1h: 1_000_000 }, 2],
    ['gpt-realtime-mini', { cachedRead: 1_000_000 }, 0.06],
    ['gpt-realtime-mini', { cachedAudioInput: 1_000_000 }, 0.3],
    ['gpt-realtime-mini', { cachedImageInput: 1_000_000 }, 0.08],
    ['gpt-realtime', { cachedAudioInput: 1_000_000, cachedImageInput: 1_000_000 }, 0.9],
    ['gpt-4o-realtime*', { cachedAudioInput: 1_000_000 }, 2.5],
    ['gpt-4o-audio-preview*', { audioInput: 1_000_000, audioOutput: 1_000_000 }, 120],
    ['gpt-4o-mini-audio*', { audioInput: 1_000_000, audioOutput: 1_000_000 }, 30],
    ['openai/gpt-audio', { audioInput: 1_000_000, audioOutput: 1_000_000 }, 96],
    ['openai/gpt-audio-mini', { audioInput: 1_000_000, audioOutput: 1_000_000 }, 3],
    ['google/gemini-3-pro-image-preview', { imageOutput: 1_000_000 }, 120],
    ['gpt-image-1', { cachedRead: 1_000_000, cachedImageInput: 1_000_000 }, 3.75],
    ['gpt-image-1-mini', { cachedImageInput: 1_000_000 }, 0.25],
    ['gpt-audio', { cachedAudioInput: 1_000_000 }, 32],
    ['gemini-2.5-flash', { cachedRead: 1_000_000, cachedAudioInput: 1_000_000 }, 0.13],
    ['gemini-3-flash-preview', { cachedAudioInput: 1_000_000 }, 0.1],
    ['whisper-1', { second: 60 }, 0.006],
    ['gpt-transcribe', { second: 60, audioInput: 600 }, 0.0045],
    ['tts-1', { character: 1_000_000 }, 15],
    ['tts-1-hd', { character: 1_000_000 }, 30],
    ['dall-e-2', { image: 2, imageVariant: '512x512' }, 0.036],
    ['dall-e-3', { image: 1, imageVariant: '1024x1024' }, 0.04],
    ['dall-e-3', { image: 1, imageVariant: '1024x1024/standard' }, 0.04],
    ['dall-e-3', { image: 1, imageVariant: '1792x1024/hd' }, 0.12],
    ['dall-e-3', { image: 1, imageVariant: '9x9' }, 0.12],
    ['rerank-v3.5', { search: 3 }, 0.006],
    ['gemini-2.5-pro', { webSearch: 1_000 }, 35],
    ['gemini-3-flash-preview', { webSearch: 1_000 }, 14],
    ['gemini-2.5-flash', { mapsGrounding: 1_000 }, 25],
    ['gemini-3-flash-preview', { mapsGrounding: 1_000 }, 14],
    ['gpt-4o', { webSearch: 1_000 }, 10],
    ['gpt-4o-search-preview', { webSearch: 1_000 }, 25],
    ['gpt-4o-mini-search-preview-2025-03-11', { webSearch: 1_000 }, 25],
    ['sonar', { webSearch: 1_000 }, 5],
    ['sonar-pro', { webSearch: 1_000 }, 5],
    ['sonar-deep-research', { webSearch: 1_000 }, 5],
    ['perplexity/sonar', { webSearch: 1_000 }, 5],
    ['perplexity/sonar-deep-research', { webSearch: 1_000 }, 5],
    ['perplexity/sonar-pro', { webSearch: 1_000 }, 5],
    ['perplexity/sonar-reasoning-pro', { webSearch: 1_000 }, 5],
    ['rerank-2.5', { input: 1_000_000 }, 0.05],
    ['omni-moderation*', { input: 1_000_000 }, 0],
    ['sora-2', { second: 8, imageVariant: '720x1280' }, 0.8],
    ['sora-2-pro', { second: 4, imageVariant: '1280x720' }, 1.2],
    ['sora-2-pro', { second: 12, imageVariant: '1024x1792' }, 6],
    ['sora-2-pro', { second: 1, imageVariant: '9x9' }, 0.7],
    ['kling-video_kling-v1_std_*', { second: 5 }, 0.14],
    ['kling-video_kling-v2-1_pro_*', { second: 10 }, 0.98],
    ['kling-video_kling-v2-master_*', { second: 5 }, 1.4],
    ['kling-multi-image2video_kling-v1-6_std_*', { second: 10 }, 0.56],
    ['mj_*', { image: 1, imageOutput: 4_224 }, 0.0667],
    ['mj_turbo_*', { image: 1 }, 0.1333],
    ['chirp-*', { second: 371, audioOutput: 9_600 }, 0.04],
    ['suno_lyrics', { character: 900 }, 0],
  ])('charges %s for %j what its vendor does', (model, counted, usd) => {
    const price = shipped.prices.find((entry) => entry.model === model);
    if (price === undefined) throw new Error(`${model} has no price`);
    const usage = { ...emptyUsage(), ...counted };
    const { points } = priceCall({ ...price, version: 1 }, { group: RATIO_ONE, key: RATIO_ONE }, usage);
    expect(points).toBe(Math.round(usd * POINTS_PER_USD));
  });

  test('prices one-hour cache writes of every Claude model at twice the input', () => {
    const claude = shipped.prices.filter(({ model, rates }) => /claude/i.test(model) && rates.cacheWrite5m !== null);
    expect(claude.length).toBeGreaterThan(100);
    for (const { model, rates, tiers } of claude)
      for (const { input, cacheWrite1h } of [rates, ...tiers.map((tier) => tier.rates)])
        expect(cacheWrite1h, model).toBe(2 * input);
  });

  test.each([
    ['gpt-4o', 1_250_000_000, 5_000_000_000],
    ['claude-3-5-sonnet*', 1_500_000_000, 7_500_000_000],
    ['gemini-2.5-flash', 150_000_000, 1_250_000_000],
  ])('has %s at the price its vendor publishes', (model, input, output) => {
    expect(shipped.prices.find((price) => price.model === model)?.rates).toMatchObject({ input, output });
  });
});
