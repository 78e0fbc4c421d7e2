import { rates } from '@switchyard/contract/catalog/price-rates';
import { emptyUsage, tokenCounters, type Usage } from '@switchyard/relay/usage';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareCharge, compareEstimate, pricedCases } from '../testing/price-oracle.ts';
import {
  CHARGE_MAX,
  findDearestCounter,
  findDearestVariant,
  findMinimumUnit,
  type PriceRule,
  priceCall,
  priceEstimate,
  RATIO_ONE,
  resolveTokenRate,
} from './price-call.ts';

const POINT = 1_000_000_000;
const one = { group: RATIO_ONE, key: RATIO_ONE };
const engine = { priceCall, priceEstimate };

const rule = (own: Partial<PriceRule['rates']>, more: Partial<PriceRule> = {}): PriceRule => ({
  model: 'm',
  version: 1,
  type: 'tokens',
  rates: rates.parse({ input: 0, output: 0, ...own }),
  image_rates: {},
  tiers: [],
  ...more,
});
const usage = (counts: Partial<Usage>): Usage => ({ ...emptyUsage(), ...counts });
const pointsOf = (price: PriceRule, used: Partial<Usage>, ratios = one): number =>
  priceCall(price, ratios, usage(used)).points;

describe('the charge for tokens', () => {
  test('multiplies tokens by the rate and the ratios of group and token', () => {
    const price = rule({ input: POINT, output: 5 * POINT });
    expect(pointsOf(price, { input: 100, output: 10 })).toBe(150);
    expect(pointsOf(price, { input: 100, output: 10 }, { ...one, group: 1_500_000 })).toBe(225);
    expect(pointsOf(price, { input: 100, output: 10 }, { group: 1_500_000, key: 2 * RATIO_ONE })).toBe(450);
  });

  test('rounds once, up, to at least one point when anything has a price', () => {
    expect(pointsOf(rule({ input: 1 }), { input: 1 })).toBe(1);
    expect(pointsOf(rule({ input: 1 }), { input: 1 }, { group: 1, key: 1 })).toBe(1);
    expect(pointsOf(rule({ input: 333_333_333, output: 333_333_333 }), { input: 1, output: 1 })).toBe(1);
  });

  test.each([
    ['webSearch', 100],
    ['mapsGrounding', 100],
    ['codeExecution', 100],
    ['fileSearch', 100],
    ['search', 50],
    ['image', 50],
    ['second', 50],
    ['character', 50],
    ...tokenCounters.map((counter) => [counter, 50] as const),
  ] as const)(
    'charges %s in a batch at half price as %i points of 100, its other tokens at half price',
    (counter, own) => {
      const price = rule({ input: POINT, output: POINT, [counter]: 10 * POINT });
      const others = [{ model: 'other', usage: usage({ [counter]: 10 }) }];
      const batch = { ...one, batch: RATIO_ONE / 2 };
      const more = counter === 'input' ? {} : { input: 8 };
      const tokens = counter === 'input' ? 0 : 4;
      expect(priceCall(price, batch, usage({ ...more, [counter]: 10 })).points).toBe(own + tokens);
      expect(priceCall(price, batch, usage({ ...more, [counter]: 10, others })).points).toBe(2 * own + tokens);
      const doubled = { group: 2 * RATIO_ONE, key: 3 * RATIO_ONE, batch: RATIO_ONE / 2 };
      expect(priceCall(price, doubled, usage({ ...more, [counter]: 10 })).points).toBe(6 * (own + tokens));
    },
  );

  test('charges nothing for a free model, a free group, a free token, or no tokens', () => {
    expect(pointsOf(rule({}), { input: 1_000 })).toBe(0);
    expect(pointsOf(rule({ input: POINT }), { input: 1_000 }, { ...one, group: 0 })).toBe(0);
    expect(pointsOf(rule({ input: POINT }), { input: 1_000 }, { ...one, key: 0 })).toBe(0);
    expect(pointsOf(rule({ input: POINT }), {})).toBe(0);
  });

  test.each([
    ['cachedRead', 'input'],
    ['cacheWrite5m', 'input'],
    ['cacheWrite1h', 'input'],
    ['audioInput', 'input'],
    ['imageInput', 'input'],
    ['reasoning', 'output'],
    ['audioOutput', 'output'],
    ['imageOutput', 'output'],
  ] as const)('takes %s at its own rate, else at the rate of %s', (counter, parent) => {
    const base = { input: 2 * POINT, output: 7 * POINT };
    expect(pointsOf(rule(base), { [counter]: 10 })).toBe((10 * base[parent]) / POINT);
    expect(pointsOf(rule({ ...base, [counter]: 3 * POINT }), { [counter]: 10 })).toBe(30);
  });

  test.each(['cachedAudioInput', 'cachedImageInput'] as const)(
    'takes %s at its own rate, else at the rate of cachedRead, else at the rate of input',
    (counter) => {
      const base = { input: 9 * POINT, output: 9 * POINT, audioInput: 8 * POINT, imageInput: 8 * POINT };
      expect(pointsOf(rule(base), { [counter]: 10 })).toBe(90);
      expect(pointsOf(rule({ ...base, cachedRead: 2 * POINT }), { [counter]: 10 })).toBe(20);
      expect(pointsOf(rule({ ...base, cachedRead: 2 * POINT, [counter]: 3 * POINT }), { [counter]: 10 })).toBe(30);
      expect(pointsOf(rule({ ...base, cachedRead: 2 * POINT, [counter]: 0 }), { [counter]: 10 })).toBe(0);
    },
  );

  test('charges cached audio and images without their own rates like any other cached token', () => {
    const tokens = fc.nat(1_000);
    const rates = { input: 7 * POINT, output: POINT, audioInput: 5 * POINT };
    fc.assert(
      fc.property(tokens, tokens, tokens, fc.option(fc.nat(POINT)), (text, audio, image, cachedRead) => {
        const price = rule({ ...rates, cachedRead });
        const split = { cachedRead: text, cachedAudioInput: audio, cachedImageInput: image };
        expect(pointsOf(price, split)).toBe(pointsOf(price, { cachedRead: text + audio + image }));
      }),
    );
  });

  test('never falls when more tokens are used', () => {
    const price = rule({ input: 123_456_789, output: 987_654_321 });
    const count = fc.integer({ min: 0, max: 1_000_000 });
    const ratios = { group: 1_234_567, key: 700_000 };
    fc.assert(
      fc.property(count, count, count, (input, output, more) => {
        expect(pointsOf(price, { input: input + more, output }, ratios)).toBeGreaterThanOrEqual(
          pointsOf(price, { input, output }, ratios),
        );
      }),
    );
  });
});

describe('a context-length tier', () => {
  const tiered = rule(
    { input: POINT, output: POINT, cachedRead: 0 },
    {
      tiers: [
        { above: 100, rates: rates.parse({ input: 2 * POINT, output: 3 * POINT }) },
        { above: 200, rates: rates.parse({ input: 4 * POINT, output: 5 * POINT }) },
      ],
    },
  );

  test('prices the whole call once all input together exceeds its beginning', () => {
    expect(pointsOf(tiered, { input: 100, output: 1 })).toBe(101);
    expect(pointsOf(tiered, { input: 101, output: 1 })).toBe(205);
    expect(pointsOf(tiered, { input: 100, cachedRead: 1, output: 1 })).toBe(205);
    expect(pointsOf(tiered, { input: 99, cachedAudioInput: 1, cachedImageInput: 1, output: 1 })).toBe(205);
    expect(pointsOf(tiered, { input: 201, output: 1 })).toBe(809);
  });

  test('prices each run of the model by its own prompt, in one line of each rate', () => {
    const others = [201, 40, 60].map((input) => ({ model: '', usage: usage({ input }) }));
    const { tiers, rates } = tiered;
    const [, highest] = tiers;
    expect(priceCall(tiered, one, usage({ input: 100, others: others.slice(1) }))).toMatchObject({
      points: 200,
      tierAbove: undefined,
    });
    expect(priceCall(tiered, one, usage({ input: 50, others }), () => rule({}))).toMatchObject({
      tierAbove: highest?.above,
      lines: [
        { counter: 'input', quantity: 150, rate: rates.input },
        { counter: 'input', quantity: 201, rate: highest?.rates.input },
      ],
    });
  });

  test('ignores output for the context-length tier', () => {
    expect(priceCall(tiered, one, usage({ input: 1, output: 5_000 }))).toMatchObject({
      points: 5_001,
      tierAbove: undefined,
    });
  });

  test('counts for the estimate, too', () => {
    expect(priceEstimate(tiered, one, 100, 10)).toBe(110);
    expect(priceEstimate(tiered, one, 101, 10)).toBe(232);
  });
});

describe('units', () => {
  test('adds units to the tokens, which are free without a separate rate', () => {
    const price = rule({ input: POINT, webSearch: 5_000 * POINT });
    expect(pointsOf(price, { input: 10, webSearch: 2, fileSearch: 9 })).toBe(10_010);
  });

  test('prices images by size and quality, else by size, else by the plain rate', () => {
    const image_rates = { '1024x1024': 4 * POINT, '1024x1024/hd': 8 * POINT };
    const price = rule({ image: POINT }, { image_rates });
    const images = (imageVariant: string) => pointsOf(price, { image: 3, imageVariant });
    expect([images('1024x1024/hd'), images('1024x1024/low'), images('512x512'), images('constructor')]).toEqual([
      24, 12, 3, 3,
    ]);
    // Ideogram draws both at the same speed.
    expect(images('1024x1024/high')).toBe(24);
  });

  test.each(['image', 'second'] as const)('prices an unlisted size at the highest rate of each %s', (counter) => {
    const image_rates = { '1024x1024': 4 * POINT, '1024x1024/hd': 8 * POINT };
    const sized = (own: object, imageVariant: string) =>
      pointsOf(rule(own, { image_rates }), { [counter]: 3, imageVariant });
    for (const variant of ['512x512', '4096x4096/hd', 'constructor', '']) expect(sized({}, variant)).toBe(24);
    expect(sized({}, '1024x1024/low')).toBe(12);
    expect([sized({ [counter]: POINT }, '512x512'), sized({ [counter]: 0 }, '512x512')]).toEqual([3, 0]);
  });
});

describe('the plain rate of an unlisted image size', () => {
  const image_rates = {
    '1024x1536': 4 * POINT,
    '2048x2048': 8 * POINT,
    '2048x2048/hd': 10 * POINT,
    '1536x1024/hd': 6 * POINT,
    '4K': 50 * POINT,
  };
  const images = (imageVariant: string, more: object = { image_rates }) =>
    pointsOf(rule({ image: 2 * POINT }, more), { image: 1, imageVariant });

  test.each([
    ['1024x1024', 2],
    ['512x512/hd', 2],
    ['4096x16', 2],
    ['16:9', 2],
    ['1K', 2],
  ])('charges the plain rate for %s, which is not larger than the default size', (variant, points) => {
    expect(images(variant)).toBe(points);
  });

  test.each([
    ['1025x1024', 4],
    ['1025x1024/hd', 6],
    ['2048x2047', 8],
    ['2047x2048/hd', 10],
    ['2048x2047/high', 10],
    ['1024x4096', 8],
    ['2K', 8],
    ['2K/hd', 10],
  ])('raises the plain rate for %s to that of the smallest listed size with as many pixels', (variant, points) => {
    expect(images(variant)).toBe(points);
  });

  test.each(['4096x4096', '2049x2048/low', '8K'])(
    'raises the plain rate for %s to the highest listed one',
    (variant) => {
      expect(images(variant)).toBe(50);
    },
  );

  test('charges the plain rate for every size if the price lists none in pixels, or only cheaper ones', () => {
    expect([images('4096x4096', {}), images('4096x4096', { image_rates: { '4K': 50 * POINT } })]).toEqual([2, 2]);
    expect(images('2048x2048', { image_rates: { '1024x1024': POINT, '2048x2049': POINT } })).toBe(2);
  });

  test('charges the plain rate for the other qualities of a listed size, and for videos', () => {
    expect(images('1536x1024/low')).toBe(2);
    const videos = rule({ second: 2 * POINT }, { image_rates });
    expect(pointsOf(videos, { second: 1, imageVariant: '2048x2047' })).toBe(2);
  });

  test('never holds less than the charge', () => {
    const price = rule({ image: 2 * POINT }, { image_rates });
    expect(findDearestVariant(price, '1024x1024', ['1024x1024', '2048x1024/hd', '1536x1024'])).toBe('2048x1024/hd');
  });
});

test.each(['image', 'second'] as const)(
  'prices an unset quality at the highest rate of its size for each %s',
  (counter) => {
    const image_rates = { '1024x1024/low': POINT, '1024x1024/high': 4 * POINT, '1536x1024/high': 6 * POINT };
    const sized = (own: object, imageVariant: string) =>
      pointsOf(rule(own, { image_rates }), { [counter]: 1, imageVariant });
    expect([sized({}, '1024x1024'), sized({}, '1536x1024'), sized({}, '512x512')]).toEqual([4, 6, 6]);
    expect([sized({}, '1024x1024/low'), sized({ [counter]: 2 * POINT }, '1024x1024')]).toEqual([1, 2]);
  },
);

describe('the charge for a call', () => {
  const call = rule({ input: 2_000 * POINT }, { type: 'times' });

  test('does not depend on the tokens', () => {
    expect(pointsOf(call, { input: 1 })).toBe(2_000);
    expect(pointsOf(call, { input: 90_000, output: 5, webSearch: 3 })).toBe(2_000);
    expect(priceEstimate(call, one, 0, 0)).toBe(2_000);
  });

  test('charges nothing when nothing was used', () => {
    expect(pointsOf(call, {})).toBe(0);
  });
});

test('equals exact arithmetic for every price, ratio and usage, however absurd, and never throws', () => {
  fc.assert(
    fc.property(pricedCases, (priced) => compareCharge(engine, priced)),
    { numRuns: 2_000 },
  );
});

test('an estimate equals the charge for the estimated tokens', () => {
  fc.assert(
    fc.property(pricedCases, (priced) => compareEstimate(engine, priced)),
    { numRuns: 1_000 },
  );
});

test('a charge beyond the most that a call can cost is taken at that, and flagged', () => {
  const dear = rule({ input: 5_000_000_000_000_000 });
  expect(priceCall(dear, { group: 1_000_000_000, key: RATIO_ONE }, usage({ input: 99_000_000 }))).toMatchObject({
    points: CHARGE_MAX,
    capped: true,
  });
  expect(priceCall(dear, one, usage({ input: 1 })).capped).toBe(false);
});

test('a charge with a counter that was not believed is flagged, whichever model it belongs to', () => {
  const doubtful: Usage = { ...usage({ input: 1 }), implausible: ['output'] };
  const other = { ...usage({ input: 1 }), others: [{ model: 'other', usage: doubtful }] };
  const plain = rule({ input: 1_000_000_000 });
  expect(priceCall(plain, one, doubtful)).toMatchObject({ points: 1, capped: true });
  expect(priceCall(plain, one, other)).toMatchObject({ points: 2, capped: true });
});

test('the tokens of a hold cost at least as much as any other split of them over the same counters', () => {
  const counters = fc.subarray([...tokenCounters], { minLength: 1 });
  const split = fc.array(fc.nat({ max: 2_000 }), { minLength: tokenCounters.length, maxLength: tokenCounters.length });
  fc.assert(
    fc.property(pricedCases, counters, split, ({ rule: price }, [first = 'input', ...others], tokens) => {
      const prompt = tokens.reduce((sum, count) => sum + count, 0);
      const dearest = findDearestCounter(price, prompt, first, ...others);
      const own = price.tiers.findLast(({ above }) => prompt > above)?.rates ?? price.rates;
      for (const counter of [first, ...others])
        expect(resolveTokenRate(own, dearest)).toBeGreaterThanOrEqual(resolveTokenRate(own, counter));
      expect([first, ...others]).toContain(dearest);
    }),
  );
});

test('the first of several counters with one rate is held, so that plain text stays plain text', () => {
  expect(findDearestCounter(rule({ input: 5 }), 1, 'input', 'cacheWrite5m', 'audioInput')).toBe('input');
});

const some = { input: 9, output: 2 };
test.each<[what: string, price: PriceRule, used: Partial<Usage>, unit: string | undefined]>([
  ['tokens of a price for images', rule({ image: 7 }), some, 'image'],
  ['tokens of a price for sizes', rule({}, { image_rates: { '1024x1024': 7 } }), some, 'image'],
  ['tokens of a price for the cheaper second', rule({ image: 7, second: 3 }), some, 'second'],
  ['tokens of a price for characters', rule({ character: 3 }), some, 'character'],
  ['tokens of a price for ranking searches', rule({ search: 3 }), { input: 9 }, 'search'],
  ['a unit without a rate', rule({ second: 3 }), { image: 1 }, 'second'],
  ['a priced unit', rule({ image: 7, second: 3 }), { ...some, image: 1 }, undefined],
  ['nothing', rule({ image: 7 }), {}, undefined],
  ['free tokens beside a tool', rule({ webSearch: 7 }), some, undefined],
  ['priced tokens', rule({ output: 1, image: 7 }), some, undefined],
  ['priced tokens of one kind', rule({ imageOutput: 1, image: 7 }), some, undefined],
  ['tokens priced in a tier', rule({ image: 7 }, { tiers: [{ above: 5, rates: rates.parse(some) }] }), some, undefined],
  ['a free price', rule({}), some, undefined],
  ['a price by the call', rule({ image: 7 }, { type: 'times' }), some, undefined],
])('a call has a minimum of one unit only where it would be free: %s', (_what, price, used, unit) => {
  expect(findMinimumUnit(price, usage(used))).toBe(unit);
});
