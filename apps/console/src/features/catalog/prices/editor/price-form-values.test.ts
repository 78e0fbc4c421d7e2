import { expect, it } from 'vitest';
import { applyingPrice, callCost } from './call-cost.ts';
import { formValues, newTier, newValues, priceBody, priceForm, ratesFor } from './price-form-values.ts';
import { rateToUsd, usdToRate } from './rate-units.ts';

it('converts USD per million tokens to exact nano-points and back', () => {
  for (const usd of [0, 0.000_001, 0.07, 0.15, 0.28, 1, 1.1, 2.5, 15, 600]) {
    expect({ usd, back: rateToUsd('tokens', usdToRate('tokens', usd)) }).toEqual({ usd, back: usd });
    expect(Number.isSafeInteger(usdToRate('tokens', usd))).toBe(true);
  }
  expect(usdToRate('tokens', 1)).toBe(500_000_000);
  expect(usdToRate('times', 0.04)).toBe(20_000_000_000_000);
  expect(rateToUsd('times', 20_000_000_000_000)).toBe(0.04);
});

it('sends empty further kinds as null, which means the rate of the kind that they are part of', () => {
  const values = newValues('gpt-x*');
  const body = priceBody({
    ...values,
    rates: { ...values.rates, input: 1.25, output: 10, cachedRead: 0.125, cachedAudioInput: 0.3 },
  });
  expect(body.rates).toMatchObject({
    input: 625_000_000,
    output: 5_000_000_000,
    cachedRead: 62_500_000,
    cachedAudioInput: 150_000_000,
    cachedImageInput: null,
    reasoning: null,
  });
});

it('sends only one rate for a price per call, whatever other fields contain', () => {
  const values = newValues('dall-e');
  const body = priceBody({
    ...values,
    type: 'times',
    rates: { ...values.rates, input: 0.04, output: 3, reasoning: 1 },
  });
  expect(body.rates).toMatchObject({ input: 20_000_000_000_000, output: 0, reasoning: null });
});

it('requires both rates of tokens or the one of calls and limits them in USD', () => {
  const values = { ...newValues('m'), model: 'm' };
  const complaints = (rates: Partial<typeof values.rates>, type: 'tokens' | 'times') =>
    priceForm
      .safeParse({ ...values, type, rates: { ...values.rates, ...rates } })
      .error?.issues.map((issue) => [issue.path.join('.'), issue.code]);
  expect(complaints({}, 'tokens')).toEqual([
    ['rates.input', 'invalid_type'],
    ['rates.output', 'invalid_type'],
  ]);
  expect(complaints({ input: 1 }, 'times')).toBeUndefined();
  expect(complaints({ input: 12 }, 'times')).toEqual([['rates.input', 'too_big']]);
  expect(complaints({ input: 2.5, output: 1 }, 'tokens')).toBeUndefined();
});

const price = (model: string, usd: number) => ({
  ...priceBody({ ...newValues(model), rates: { ...newValues(model).rates, input: usd, output: usd } }),
  input: usd / 2,
  output: usd / 2,
  version: 1,
});

it('prefers a model’s own price to the longest wildcard', () => {
  const list = [price('gpt-*', 1), price('gpt-5*', 2), price('gpt-5', 3)];
  expect(applyingPrice(list, 'gpt-5')?.model).toBe('gpt-5');
  expect(applyingPrice(list, 'gpt-5-mini')?.model).toBe('gpt-5*');
  expect(applyingPrice(list, 'gpt-4')?.model).toBe('gpt-*');
  expect(applyingPrice(list, 'claude')).toBeUndefined();
});

it('charges cached tokens like input unless they have their own rate', () => {
  const tokens = { input: 1000, cachedRead: 1000, output: 500 };
  const rates = { ...formValues(price('m', 2)).rates, output: 8 };
  expect(callCost('tokens', rates, tokens)).toBeCloseTo(0.008, 12);
  expect(callCost('tokens', { ...rates, cachedRead: 0.2 }, tokens)).toBeCloseTo(0.0062, 12);
  expect(callCost('tokens', { ...rates, output: null }, tokens)).toBeUndefined();
  expect(callCost('times', { ...rates, output: null }, tokens)).toBe(2);
});

it('preserves units, image sizes and tiers in the form', () => {
  const values = newValues('m');
  const tier = newTier(200_000);
  const filled = {
    ...values,
    rates: { ...values.rates, input: 1, output: 2, webSearch: 10, image: 0.04, second: 0.0001, character: 15 },
    image_rates: [{ variant: '1024x1024/hd', usd: 0.08 }],
    tiers: [{ ...tier, rates: { ...tier.rates, input: 2, output: 3, cachedRead: 0.2 } }],
  };
  const body = priceBody(filled);
  expect(body.rates).toMatchObject({
    webSearch: 5_000_000_000_000,
    image: 20_000_000_000_000,
    second: 50_000_000_000,
    character: 7_500_000_000,
  });
  expect(body.image_rates).toEqual({ '1024x1024/hd': 40_000_000_000_000 });
  expect(body.tiers[0]).toMatchObject({ above: 200_000, rates: { input: 1_000_000_000, cachedRead: 100_000_000 } });
  expect(formValues({ ...body, input: 0.5, output: 1, version: 1 })).toEqual(filled);
});

it('requires both rates of a tier and uses them above its limit', () => {
  const values = { ...newValues('m'), model: 'm', rates: { ...newValues('m').rates, input: 1, output: 2 } };
  const issues = priceForm.safeParse({ ...values, tiers: [newTier(100)] }).error?.issues;
  expect(issues?.map(({ path }) => path.join('.'))).toEqual(['tiers.0.rates.input', 'tiers.0.rates.output']);
  const tier = { above: 100, rates: { ...newTier(100).rates, input: 3, output: 4 } };
  expect(ratesFor({ ...values, tiers: [tier] }, 100).input).toBe(1);
  expect(ratesFor({ ...values, tiers: [tier] }, 101).input).toBe(3);
});
