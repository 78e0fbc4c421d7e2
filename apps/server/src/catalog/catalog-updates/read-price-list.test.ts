import { RATE_OF_USD_PER_MILLION, RATE_OF_USD_PER_UNIT } from '@switchyard/contract/catalog/price-rates';
import { describe, expect, test } from 'vitest';
import { readList } from './read-price-list.ts';

const read = (list: unknown) => readList(JSON.stringify(list), 'text');
const only = (list: unknown) => {
  const { entries, problems } = read(list);
  expect(problems).toEqual([]);
  expect(entries).toHaveLength(1);
  return entries[0];
};
const usd = (amount: number): number => amount * RATE_OF_USD_PER_MILLION;
const price = { model: 'm', rates: { input: 5, output: 6 } };

describe('a list of prices', () => {
  test('reads the shipped format, where prices and facts of one name are one entry', () => {
    const list = {
      prices: [{ model: 'm', owner: 'google', rates: { input: 5, output: 6, cachedRead: 1 } }],
      models: [{ model: 'm', context_length: 9, retires: '2027-01-01', successor: 'n' }],
    };
    expect(only(list)).toMatchObject({
      model: 'm',
      price: { type: 'tokens', channel_type: 25, rates: { input: 5, output: 6, cachedRead: 1 } },
      facts: { context_length: 9, retires: '2027-01-01', successor: 'n' },
    });
  });

  test('reads the response of another gateway', () => {
    expect(only({ success: true, data: [{ ...price, channel_type: 1, input: 1, output: 1 }] })).toMatchObject({
      price: { channel_type: 1, rates: { input: 5, output: 6 } },
    });
  });

  test('reads ratios: 1 is 2 USD for a million tokens, or 0.002 USD for a call', () => {
    const ratios = { cached_tokens: 0.5, reasoning_tokens: 2 };
    expect(
      only([{ model: 'm', type: 'tokens', channel_type: 1, input: 1.25, output: 5, extra_ratios: ratios }]),
    ).toMatchObject({
      price: {
        channel_type: 1,
        rates: { input: usd(2.5), output: usd(10), cachedRead: usd(1.25), reasoning: usd(20) },
      },
    });
    expect(only({ data: [{ model: 'm', type: 'times', channel_type: 0, input: 50, output: 50 }] })).toMatchObject({
      price: { type: 'times', rates: { input: 0.1 * RATE_OF_USD_PER_UNIT, output: 0 } },
    });
  });

  test('reads New API’s list, with ratios to the input price and calls priced in USD', () => {
    const ratios = { cache_ratio: 0.5, create_cache_ratio: 1.25, audio_ratio: 4, audio_completion_ratio: 2 };
    const tokens = { model_name: 'm', quota_type: 0, model_ratio: 1.25, completion_ratio: 4, model_price: 0 };
    expect(only({ success: true, data: [{ ...tokens, ...ratios }], group_ratio: {} })).toMatchObject({
      price: {
        type: 'tokens',
        rates: {
          input: usd(2.5),
          output: usd(10),
          cachedRead: usd(1.25),
          cacheWrite5m: usd(3.125),
          audioInput: usd(10),
          audioOutput: usd(20),
        },
      },
    });
    expect(only({ data: [{ model_name: 'm', quota_type: 1, model_ratio: 0, model_price: 0.04 }] })).toMatchObject({
      price: { type: 'times', rates: { input: 0.04 * RATE_OF_USD_PER_UNIT, output: 0 } },
    });
  });

  const unpriced = { quota_type: 0, model_ratio: 0, completion_ratio: 0, model_price: 0.04 };
  test.each([
    { billing_mode: 'tiered_expr' },
    { billing_mode: 'another' },
    { billing_mode: null },
    { quota_type: '1' },
    { quota_type: 2 },
    { quota_type: undefined },
    { model_ratio: -1 },
    { model_ratio: '0' },
    { completion_ratio: -1, model_ratio: 1 },
    { completion_ratio: undefined, model_ratio: 1 },
    { quota_type: 1, model_price: undefined },
    { quota_type: 1, model_price: 1e300 },
  ])('of New API, reporting unknown fields instead of reading a free price: %j', (odd) => {
    expect(read({ data: [{ model_name: 'm', ...unpriced, ...odd }] })).toMatchObject({
      format: 'new-api',
      entries: [],
      problems: [{ model: 'm' }],
    });
  });

  test('reads models.dev, and prefers the vendor’s own price to a host’s', () => {
    const model = (input: number) => ({
      cost: { input, output: 4, cache_read: 0.1 },
      limit: { context: 1000, output: 100 },
      modalities: { input: ['text', 'pdf', 'smell'], output: ['text'] },
      tool_call: true,
      reasoning: false,
      release_date: '2026-01-02',
    });
    expect(only({ host: { models: { m: model(9) } }, openai: { models: { m: model(2) } } })).toMatchObject({
      price: { channel_type: 1, rates: { input: usd(2), output: usd(4), cachedRead: usd(0.1) } },
      facts: {
        context_length: 1000,
        output_max: 100,
        input: ['text', 'file'],
        output: ['text'],
        capabilities: ['tools'],
        released: '2026-01-02',
      },
    });
  });

  const oneHub = { type: 'tokens', channel_type: 14, input: 1, output: 5, extra_ratios: { cached_write_tokens: 1.25 } };
  const newApi = { quota_type: 0, model_ratio: 1, completion_ratio: 5, create_cache_ratio: 1.25 };
  const liteLlm = {
    litellm_provider: 'vertex_ai',
    input_cost_per_token: 2e-6,
    output_cost_per_token: 1e-5,
    cache_creation_input_token_cost: 2.5e-6,
  };
  test.each<[gateway: string, list: unknown]>([
    ['One Hub', [{ model: 'claude-x', ...oneHub }]],
    ['New API', { data: [{ model_name: 'claude-x', ...newApi }] }],
    ['models.dev', { anthropic: { models: { 'claude-x': { cost: { input: 2, output: 10, cache_write: 2.5 } } } } }],
    ['LiteLLM', { 'claude-x': liteLlm }],
  ])('prices one-hour cache writes of Claude at twice the input where %s has one price for writes', (_of, list) => {
    expect(only(list)).toMatchObject({
      price: { rates: { input: usd(2), cacheWrite5m: usd(2.5), cacheWrite1h: usd(4) } },
    });
  });

  test('reads LiteLLM’s list without its example', () => {
    expect(
      only({
        sample_spec: { litellm_provider: 'one of', input_cost_per_token: 0 },
        m: {
          litellm_provider: 'openai',
          input_cost_per_token: 2.5e-6,
          output_cost_per_token: 1e-5,
          cache_read_input_token_cost: 1e-6,
          cache_read_input_audio_token_cost: 3e-6,
          cache_read_input_image_token_cost: 2e-6,
          max_input_tokens: 128_000,
          supports_function_calling: true,
          deprecation_date: '2027-02-03',
        },
      }),
    ).toMatchObject({
      price: {
        channel_type: 1,
        rates: {
          input: usd(2.5),
          output: usd(10),
          cachedRead: usd(1),
          cachedAudioInput: usd(3),
          cachedImageInput: usd(2),
        },
      },
      facts: { context_length: 128_000, capabilities: ['tools'], retires: '2027-02-03' },
    });
  });
});

describe('a list is refused', () => {
  const refusal = (rule: string) =>
    expect.objectContaining({ fields: [expect.objectContaining({ path: 'text', rule })] });
  const reading = (text: string) => () => readList(text, 'text');

  test('refuses a truncated list and names the position without quoting it', () => {
    expect(reading('{"prices": [{"model": "secret-thing",')).toThrow(refusal('bad-json'));
    expect(reading('{"prices": [{"model": "secret-thing", x')).toThrow(/position \d+/);
    expect(reading('{"prices": [{"model": "secret-thing", x')).not.toThrow(/secret-thing/);
  });

  test.each([
    ['nothing', '{"prices": []}', 'empty-list'],
    ['no list at all', '42', 'unknown-list'],
    ['somebody else’s', '{"a": 1}', 'unknown-list'],
    ['another currency', '{"currency": "CNY", "prices": []}', 'unknown-currency'],
    ['too much of it', JSON.stringify(Array.from({ length: 10_001 }, () => price)), 'list-too-long'],
    ['too many fields', `{${Array.from({ length: 10_001 }, (_, at) => `"${at}":0`).join(',')}}`, 'list-too-long'],
    ['too many lists', `[${'[],'.repeat(100_000)}[]]`, 'list-too-long'],
    ['a deep nest', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'bad-json'],
  ])('that has %s', (_what, text, rule) => {
    expect(reading(text)).toThrow(refusal(rule));
  });
});

describe('skips an invalid entry as a whole and reports its position', () => {
  const good = { model: 'good', rates: { input: 1, output: 1 } };

  test.each([
    ['a negative price', { ...price, rates: { input: -1, output: 0 } }, 'prices.1.rates.input', 'negative'],
    ['an absurd price', { ...price, rates: { input: 1e16, output: 0 } }, 'prices.1.rates.input', 'too_big'],
    ['text for a price', { ...price, rates: { input: '1', output: 0 } }, 'prices.1.rates.input', 'invalid_type'],
    ['no output', { ...price, rates: { input: 1 } }, 'prices.1.rates.output', 'invalid_type'],
    ['no name', { rates: price.rates }, 'prices.1.model', 'invalid_type'],
    ['a name in the middle of which is a *', { ...price, model: 'a*b' }, 'prices.1.model', 'invalid_format'],
    ['another currency', { ...price, currency: 'CNY' }, 'prices.1.currency', 'unknown-currency'],
  ])('with %s', (_what, entry, place, rule) => {
    const { entries, problems } = read({ prices: [good, entry] });
    expect(entries.map(({ model }) => model)).toEqual(['good']);
    expect(problems).toMatchObject([{ place, rule }]);
  });

  test('ignores both entries of a repeated name', () => {
    const { entries, problems } = read([price, good, { ...price, rates: { input: 7, output: 7 } }]);
    expect(entries.map(({ model }) => model)).toEqual(['good']);
    expect(problems).toMatchObject([{ place: 'prices.2', model: 'm', rule: 'duplicate' }]);
  });

  test('a negative ratio is one, too', () => {
    const { problems } = read([{ model: 'm', type: 'tokens', input: -1, output: 1 }]);
    expect(problems).toMatchObject([{ place: '0.rates.input', rule: 'negative' }]);
  });
});
