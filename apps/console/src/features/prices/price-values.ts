import { POINTS_PER_USD } from '@switchyard/contract/money';
import {
  NANO_POINTS_PER_POINT,
  type Price,
  RATE_OF_USD_PER_MILLION,
  type Rates,
  rates as ratesSchema,
  savePrice,
} from '@switchyard/contract/prices';
import { z } from 'zod';

export const priceTypes = ['tokens', 'times'] as const;
export type PriceType = (typeof priceTypes)[number];

/** Kinds of tokens that are part of the input or the output and may have a rate of their own. */
export const furtherKinds = [
  { kind: 'cachedRead', partOf: 'input' },
  { kind: 'cacheWrite5m', partOf: 'input' },
  { kind: 'cacheWrite1h', partOf: 'input' },
  { kind: 'reasoning', partOf: 'output' },
  { kind: 'audioInput', partOf: 'input' },
  { kind: 'audioOutput', partOf: 'output' },
  { kind: 'imageInput', partOf: 'input' },
  { kind: 'imageOutput', partOf: 'output' },
] as const satisfies readonly { kind: keyof Rates; partOf: keyof Rates }[];

/** One dollar in nano-points: of a token when a million of them cost it, of a call when one costs it. */
const nanoPerUsd: Record<PriceType, number> = {
  tokens: RATE_OF_USD_PER_MILLION,
  times: NANO_POINTS_PER_POINT * POINTS_PER_USD,
};
const maxRate = ratesSchema.shape.input.maxValue ?? Number.MAX_SAFE_INTEGER;

export function rateToUsd(type: PriceType, rate: number): number {
  return rate / nanoPerUsd[type];
}

/** Rounded, because 0.07 × 500,000,000,000,000 is not whole in floating point. */
export function usdToRate(type: PriceType, usd: number): number {
  return Math.round(usd * nanoPerUsd[type]);
}

const noRates = ratesSchema.parse({ input: 0, output: 0 });
const usd = z.number().min(0).nullable();

/** The contract's price with rates as people read them: dollars for a million tokens or for a call. */
export const priceForm = savePrice
  .extend({
    rates: z.object(mapRates(noRates, () => usd)),
  })
  .superRefine(({ type, rates }, context) => {
    const needed = type === 'tokens' ? (['input', 'output'] as const) : (['input'] as const);
    for (const kind of needed) {
      if (rates[kind] === null)
        context.addIssue({ code: 'invalid_type', expected: 'number', input: null, path: ['rates', kind] });
    }
    for (const [kind, amount] of Object.entries(rates)) {
      if (amount === null || usdToRate(type, amount) <= maxRate) continue;
      const maximum = rateToUsd(type, maxRate);
      context.addIssue({ code: 'too_big', origin: 'number', maximum, input: amount, path: ['rates', kind] });
    }
  });
export type PriceValues = z.output<typeof priceForm>;
type UsdRates = PriceValues['rates'];

function mapRates<To>(rates: Record<keyof Rates, number | null>, change: (rate: number | null) => To) {
  return {
    input: change(rates.input),
    output: change(rates.output),
    cachedRead: change(rates.cachedRead),
    cacheWrite5m: change(rates.cacheWrite5m),
    cacheWrite1h: change(rates.cacheWrite1h),
    reasoning: change(rates.reasoning),
    audioInput: change(rates.audioInput),
    audioOutput: change(rates.audioOutput),
    imageInput: change(rates.imageInput),
    imageOutput: change(rates.imageOutput),
  };
}

export function newValues(model: string): PriceValues {
  const none = mapRates(noRates, () => null);
  return { model, type: 'tokens', channel_type: 0, rates: none, locked: true };
}

export function formValues({ model, type, channel_type, rates, locked }: Price): PriceValues {
  const shown = mapRates(rates, (rate) => (rate === null ? null : rateToUsd(type, rate)));
  return { model, type, channel_type, rates: shown, locked };
}

/** What is sent. A price for calls has the one rate. */
export function priceBody({ rates, ...price }: PriceValues) {
  const { input, output, ...further } = mapRates(rates, (amount) =>
    amount === null ? null : usdToRate(price.type, amount),
  );
  const sent =
    price.type === 'times'
      ? { input: input ?? 0, output: 0 }
      : { input: input ?? 0, output: output ?? 0, ...further };
  return { ...price, rates: ratesSchema.parse(sent) };
}

/** How many of the further kinds have a rate of their own. */
export function ownRates(rates: UsdRates): number {
  return furtherKinds.filter(({ kind }) => rates[kind] !== null).length;
}
