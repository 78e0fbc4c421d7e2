import { savePrice } from '@switchyard/contract/catalog/prices';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { priceEstimate, RATIO_ONE } from '../../ledger/ledger.ts';
import { readLiteLlm } from './litellm.ts';
import { ImportReport } from './report.ts';
import type { SourcePrice } from './source-installation.ts';

interface Deployment {
  model_name: string;
  litellm_params?: object;
  model_info?: object;
}

async function readDeployments(...data: readonly Deployment[]) {
  const report = new ImportReport();
  const answers: Readonly<Record<string, unknown>> = {
    '/user/list': { users: [], total_pages: 0 },
    '/key/list': { keys: [], total_pages: 0 },
    '/team/list': [],
    '/model/info': { data },
  };
  const { prices } = await readLiteLlm(async (path) => answers[path.split('?', 1)[0] ?? ''], report);
  return { prices, report, told: report.lines().join('\n') };
}

const readModel = (model_info: object) => readDeployments({ model_name: 'm', model_info });

/** Points for a call. */
function chargeOf(price: SourcePrice | undefined, prompt: number, completion: number): number {
  const rule = { ...savePrice.parse(price), version: 1 };
  return priceEstimate(rule, { group: RATIO_ONE, key: RATIO_ONE }, prompt, completion);
}

const tokenPrice = { input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 };

describe('a price for long prompts', () => {
  test('becomes a tier with the rates of the source', async () => {
    const { prices, told } = await readModel({
      ...tokenPrice,
      cache_read_input_token_cost: 3e-7,
      cache_read_input_audio_token_cost: 4e-7,
      cache_read_input_image_token_cost: 5e-7,
      cache_creation_input_token_cost: 3.75e-6,
      cache_creation_input_token_cost_above_1hr: 6e-6,
      output_cost_per_reasoning_token: 2e-5,
      input_cost_per_token_above_200k_tokens: 6e-6,
      output_cost_per_token_above_200k_tokens: 2.25e-5,
      cache_read_input_token_cost_above_200k_tokens: 6e-7,
      cache_creation_input_token_cost_above_200k_tokens: 7.5e-6,
      cache_creation_input_token_cost_above_1hr_above_200k_tokens: 1.2e-5,
    });
    expect(prices).toEqual([
      {
        model: 'm',
        type: 'tokens',
        rates: {
          input: 1_500_000_000,
          output: 7_500_000_000,
          cachedRead: 150_000_000,
          cachedAudioInput: 200_000_000,
          cachedImageInput: 250_000_000,
          cacheWrite5m: 1_875_000_000,
          cacheWrite1h: 3_000_000_000,
          reasoning: 10_000_000_000,
        },
        tiers: [
          {
            above: 200_000,
            rates: {
              input: 3_000_000_000,
              output: 11_250_000_000,
              cachedRead: 300_000_000,
              cachedAudioInput: 200_000_000,
              cachedImageInput: 250_000_000,
              cacheWrite5m: 3_750_000_000,
              cacheWrite1h: 6_000_000_000,
              reasoning: 10_000_000_000,
            },
          },
        ],
      },
    ]);
    expect(told).not.toContain('is not supported');
    expect(chargeOf(prices[0], 200_000, 1_000)).toBe(307_500);
    expect(chargeOf(prices[0], 200_001, 1_000)).toBe(611_253);
  });

  test.each<[string, object, object[]]>([
    [
      'counts tokens without the suffix k',
      { input_cost_per_token_above_128000_tokens: 6e-6 },
      [{ above: 128_000, rates: { input: 3_000_000_000, output: 7_500_000_000 } }],
    ],
    ['never applies without an input price', { output_cost_per_token_above_200k_tokens: 6e-6 }, []],
    ['never applies to other units', { output_cost_per_image_above_200k_tokens: 1 }, []],
  ])('%s', async (_, fields, tiers) => {
    expect((await readModel({ ...tokenPrice, ...fields })).prices[0]?.tiers).toEqual(tiers);
  });

  test('charges every prompt as the source does: by the highest limit below it, for the whole call', async () => {
    const price = fc.integer({ min: 1, max: 10_000 });
    const limits = fc.uniqueArray(
      fc.record({ thousands: fc.integer({ min: 1, max: 900 }), input: price, output: fc.option(price) }),
      { selector: ({ thousands }) => thousands, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.record({ input: price, output: price }),
        limits,
        fc.nat(1_000_000),
        fc.nat(10_000),
        async (base, some, prompt, completion) => {
          const fields = some.flatMap(({ thousands, input, output }) => [
            [`input_cost_per_token_above_${thousands}k_tokens`, `${input}e-8`],
            [`output_cost_per_token_above_${thousands}k_tokens`, output === null ? null : `${output}e-8`],
          ]);
          const { prices } = await readModel({
            input_cost_per_token: `${base.input}e-8`,
            output_cost_per_token: `${base.output}e-8`,
            ...Object.fromEntries(fields),
          });
          const limit = some
            .toSorted((a, b) => b.thousands - a.thousands)
            .find(({ thousands }) => prompt > thousands * 1_000);
          // A hundred-millionth of a dollar is 5,000,000 nano-points.
          const nano =
            (BigInt(prompt) * BigInt(limit?.input ?? base.input) +
              BigInt(completion) * BigInt(limit?.output ?? base.output)) *
            5_000_000n;
          expect(chargeOf(prices[0], prompt, completion)).toBe(Number((nano + 999_999_999n) / 1_000_000_000n));
        },
      ),
    );
  });
});

test.each<[string, object]>([
  ['input_cost_per_token_batches', { input_cost_per_token_batches: 1.5e-6 }],
  ['output_cost_per_token_priority', { output_cost_per_token_priority: '3e-5' }],
  ['search_context_cost_per_query', { search_context_cost_per_query: { search_context_size_low: 0.03 } }],
  ['tiered_pricing', { tiered_pricing: [{ range: [0, 1_000], input_cost_per_token: 1e-6 }] }],
  ['output_cost_per_image', { output_cost_per_image: 0.04 }],
  ['input_cost_per_image_above_128k_tokens', { input_cost_per_image_above_128k_tokens: 0.04 }],
  ['cache_read_input_token_cost', { cache_read_input_token_cost: 'cheap' }],
])('names the price field %s, which is not imported', async (field, fields) => {
  const { prices, told } = await readModel({ ...tokenPrice, ...fields });
  expect(told).toContain(`price: the field ${field} is not supported; check the price: m`);
  expect(prices).toEqual([
    { model: 'm', type: 'tokens', rates: { input: 1_500_000_000, output: 7_500_000_000 }, tiers: [] },
  ]);
});

test('names no price field without a price', async () => {
  const { told } = await readModel({
    ...tokenPrice,
    input_cost_per_token_batches: null,
    output_cost_per_image: 0,
    search_context_cost_per_query: {},
    tiered_pricing: [],
    max_tokens: 8_192,
  });
  expect(told).not.toContain('is not supported');
});

test.each<[string, number, object]>([
  ['output_cost_per_image', 0.04, { image: 20_000_000_000_000 }],
  ['input_cost_per_second', 0.0001, { second: 50_000_000_000 }],
  ['input_cost_per_character', 1.5e-5, { character: 7_500_000_000 }],
  ['input_cost_per_query', 0.002, { search: 1_000_000_000_000 }],
])('imports %s of a model without a price of tokens', async (field, price, rates) => {
  const { prices, told } = await readModel({ input_cost_per_token: 0, output_cost_per_token: 0, [field]: price });
  expect(prices[0]?.rates).toEqual({ input: 0, output: 0, ...rates });
  expect(told).not.toContain('it is free in the source');
});

test('names a model that is free in the source', async () => {
  const { prices, told } = await readModel({ input_cost_per_token: 0, output_cost_per_token: 0 });
  expect(prices[0]?.rates).toEqual({ input: 0, output: 0 });
  expect(told).toContain('price: it is free in the source; check the price: m');
});

describe('a model with several deployments', () => {
  const one = { model_name: 'm', model_info: tokenPrice };
  const other = { model_name: 'm', model_info: { ...tokenPrice, input_cost_per_token: 9e-6 } };

  test.each<[string, Deployment[], number, boolean]>([
    ['has the price of the first one, and names the difference', [one, other], 1_500_000_000, true],
    ['has the price of the first one that has a price', [{ model_name: 'm' }, other, other], 4_500_000_000, false],
    [
      'has the price of the deployment rather than that of the model',
      [{ ...one, litellm_params: { model: 'azure/x', input_cost_per_token: 9e-6 } }],
      4_500_000_000,
      false,
    ],
  ])('%s', async (_, deployments, input, isNamed) => {
    const { prices, told } = await readDeployments(...deployments);
    expect(prices.map(({ rates }) => rates.input)).toEqual([input]);
    expect(told.includes('its deployments have different prices; those of the first one are used: m')).toBe(isNamed);
  });

  test('a model is listed if no deployment has a price', async () => {
    const { prices, report, told } = await readDeployments({ model_name: 'm' }, { model_name: 'm', model_info: {} });
    expect(prices).toEqual([]);
    expect(report.counts('price')).toMatchObject({ read: 1, skipped: 1 });
    expect(told).toContain('its deployments have no price that is supported; set one by hand: m');
  });
});
