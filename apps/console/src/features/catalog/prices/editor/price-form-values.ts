import {
  imageRates as imageRatesSchema,
  type Rates,
  rates as ratesSchema,
  type TokenRates,
  tier as tierSchema,
  tiers as tiersSchema,
} from '@switchyard/contract/catalog/price-rates';
import { type Price, savePrice } from '@switchyard/contract/catalog/prices';
import { z } from 'zod';
import { furtherKinds, maxUsd, type PriceType, rateToUsd, unitKinds, usdToRate } from './rate-units.ts';

const noRates = ratesSchema.parse({ input: 0, output: 0 });
const usd = z.number().min(0).nullable();

const tokenUsd = z.object(mapTokens(noRates, () => usd));
const allUsd = z.object(mapAll(noRates, () => usd));
type TokenUsd = z.output<typeof tokenUsd>;
type Usd = z.output<typeof allUsd>;

/** Form schema of a price with rates in USD for a million tokens, a call or a unit. */
export const priceForm = savePrice
  .extend({
    rates: allUsd,
    image_rates: z.array(z.object({ variant: imageRatesSchema.unwrap().keyType, usd: z.number().min(0) })),
    tiers: z.array(tierSchema.extend({ rates: tokenUsd })),
  })
  .superRefine(({ type, rates, tiers }, context) => {
    checkRates(context, type, ['rates'], rates);
    if (type === 'tokens')
      tiers.forEach((tier, index) => checkRates(context, type, ['tiers', index, 'rates'], tier.rates));
  });
export type PriceValues = z.output<typeof priceForm>;

function checkRates(context: z.RefinementCtx, type: PriceType, path: (string | number)[], rates: Partial<Usd>): void {
  const needed = type === 'tokens' ? (['input', 'output'] as const) : (['input'] as const);
  for (const kind of needed) {
    if (rates[kind] === null)
      context.addIssue({ code: 'invalid_type', expected: 'number', input: null, path: [...path, kind] });
  }
  for (const kind of allUsd.keyof().options) {
    const amount = rates[kind] ?? 0;
    const maximum = maxUsd(type, kind);
    if (amount > maximum)
      context.addIssue({ code: 'too_big', origin: 'number', maximum, input: amount, path: [...path, kind] });
  }
}

type Change<To> = (rate: number | null, kind: keyof Rates) => To;

function mapTokens<To>(rates: Record<keyof TokenRates, number | null>, change: Change<To>) {
  return {
    input: change(rates.input, 'input'),
    output: change(rates.output, 'output'),
    cachedRead: change(rates.cachedRead, 'cachedRead'),
    cachedAudioInput: change(rates.cachedAudioInput, 'cachedAudioInput'),
    cachedImageInput: change(rates.cachedImageInput, 'cachedImageInput'),
    cacheWrite5m: change(rates.cacheWrite5m, 'cacheWrite5m'),
    cacheWrite1h: change(rates.cacheWrite1h, 'cacheWrite1h'),
    reasoning: change(rates.reasoning, 'reasoning'),
    audioInput: change(rates.audioInput, 'audioInput'),
    audioOutput: change(rates.audioOutput, 'audioOutput'),
    imageInput: change(rates.imageInput, 'imageInput'),
    imageOutput: change(rates.imageOutput, 'imageOutput'),
  };
}

function mapAll<To>(rates: Record<keyof Rates, number | null>, change: Change<To>) {
  return {
    ...mapTokens(rates, change),
    webSearch: change(rates.webSearch, 'webSearch'),
    mapsGrounding: change(rates.mapsGrounding, 'mapsGrounding'),
    codeExecution: change(rates.codeExecution, 'codeExecution'),
    fileSearch: change(rates.fileSearch, 'fileSearch'),
    search: change(rates.search, 'search'),
    image: change(rates.image, 'image'),
    second: change(rates.second, 'second'),
    character: change(rates.character, 'character'),
  };
}

export function newValues(model: string): PriceValues {
  const none = { rates: mapAll(noRates, () => null), image_rates: [], tiers: [] };
  return { model, type: 'tokens', channel_type: 0, ...none, locked: true };
}

export function newTier(above: number): PriceValues['tiers'][number] {
  return { above, rates: mapTokens(noRates, () => null) };
}

export function formValues(price: Price): PriceValues {
  const { model, type, channel_type, rates, image_rates, tiers, locked } = price;
  const shown: Change<number | null> = (rate, kind) => (rate === null ? null : rateToUsd(type, rate, kind));
  return {
    model,
    type,
    channel_type,
    rates: mapAll(rates, shown),
    image_rates: Object.entries(image_rates).map(([variant, rate]) => ({
      variant,
      usd: rateToUsd(type, rate, 'image'),
    })),
    tiers: tiers.map((tier) => ({ above: tier.above, rates: mapTokens(tier.rates, shown) })),
    locked,
  };
}

/** Returns the request body. A price per call has only one rate. */
export function priceBody({ rates, image_rates, tiers, ...price }: PriceValues) {
  const { type } = price;
  const sent: Change<number | null> = (amount, kind) => (amount === null ? null : usdToRate(type, amount, kind));
  if (type === 'times')
    return {
      ...price,
      rates: ratesSchema.parse({ input: sent(rates.input, 'input') ?? 0, output: 0 }),
      image_rates: imageRatesSchema.parse({}),
      tiers: tiersSchema.parse([]),
    };
  const sizes = image_rates.map(({ variant, usd: amount }) => [variant, usdToRate(type, amount, 'image')]);
  return {
    ...price,
    rates: ratesSchema.parse({ ...mapAll(rates, sent), ...sentBase(rates, sent) }),
    image_rates: imageRatesSchema.parse(Object.fromEntries(sizes)),
    tiers: tiersSchema.parse(
      tiers.map((tier) => ({
        above: tier.above,
        rates: { ...mapTokens(tier.rates, sent), ...sentBase(tier.rates, sent) },
      })),
    ),
  };
}

function sentBase({ input, output }: TokenUsd, sent: Change<number | null>) {
  return { input: sent(input, 'input') ?? 0, output: sent(output, 'output') ?? 0 };
}

export function ownRates(rates: PriceValues['rates']): number {
  return furtherKinds.filter(({ kind }) => rates[kind] !== null).length;
}

export function unitPrices({ rates, image_rates }: PriceValues): number {
  return unitKinds.filter(({ kind }) => rates[kind] !== null).length + image_rates.length;
}

/** Returns the token rates for a prompt of this size. */
export function ratesFor({ rates, tiers }: PriceValues, promptTokens: number): TokenUsd {
  return tiers.findLast(({ above }) => promptTokens > above)?.rates ?? rates;
}
