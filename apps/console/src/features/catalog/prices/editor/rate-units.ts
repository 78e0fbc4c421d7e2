import {
  RATE_OF_USD_PER_MILLION,
  RATE_OF_USD_PER_UNIT,
  type Rates,
  rates as ratesSchema,
  type TokenRates,
} from '@switchyard/contract/catalog/price-rates';
import { parseNumberText } from '../../../../ui/inputs/parse-number-text.ts';

export const priceTypes = ['tokens', 'times'] as const;
export type PriceType = (typeof priceTypes)[number];

/** Token kinds that can have their own rate; without it, they cost as much as the kind that they are part of. */
export const furtherKinds = [
  { kind: 'cachedRead', partOf: 'input' },
  { kind: 'cachedAudioInput', partOf: 'cachedRead' },
  { kind: 'cachedImageInput', partOf: 'cachedRead' },
  { kind: 'cacheWrite5m', partOf: 'input' },
  { kind: 'cacheWrite1h', partOf: 'input' },
  { kind: 'reasoning', partOf: 'output' },
  { kind: 'audioInput', partOf: 'input' },
  { kind: 'audioOutput', partOf: 'output' },
  { kind: 'imageInput', partOf: 'input' },
  { kind: 'imageOutput', partOf: 'output' },
] as const satisfies readonly { kind: keyof TokenRates; partOf: keyof TokenRates }[];

/** Kinds of usage besides tokens, each with the unit to which its USD amount applies. */
export const unitKinds = [
  { kind: 'webSearch', per: 'perThousandCalls' },
  { kind: 'mapsGrounding', per: 'perThousandCalls' },
  { kind: 'fileSearch', per: 'perThousandCalls' },
  { kind: 'search', per: 'perThousandCalls' },
  { kind: 'codeExecution', per: 'perThousandCalls' },
  { kind: 'image', per: 'perImage' },
  { kind: 'second', per: 'perSecond' },
  { kind: 'character', per: 'perMillionCharacters' },
] as const satisfies readonly { kind: keyof Rates; per: string }[];

/** Rate in nano-points for one USD per unit. */
const nanoPerUsd: Record<(typeof unitKinds)[number]['per'], number> = {
  perThousandCalls: RATE_OF_USD_PER_UNIT / 1_000,
  perImage: RATE_OF_USD_PER_UNIT,
  perSecond: RATE_OF_USD_PER_UNIT,
  perMillionCharacters: RATE_OF_USD_PER_MILLION,
};

function usdRate(type: PriceType, kind: keyof Rates): number {
  if (type === 'times') return RATE_OF_USD_PER_UNIT;
  const unit = unitKinds.find((candidate) => candidate.kind === kind);
  return unit === undefined ? RATE_OF_USD_PER_MILLION : nanoPerUsd[unit.per];
}

const maxRate = ratesSchema.shape.input.maxValue ?? Number.MAX_SAFE_INTEGER;

export function rateToUsd(type: PriceType, rate: number, kind: keyof Rates = 'input'): number {
  return rate / usdRate(type, kind);
}

/** Returns the rate, rounded because 0.07 × 500,000,000,000,000 is not an integer in floating point. */
export function usdToRate(type: PriceType, usd: number, kind: keyof Rates = 'input'): number {
  return Math.round(usd * usdRate(type, kind));
}

/** Returns the contract's highest rate in USD, as the field shows it. */
export function maxUsd(type: PriceType, kind: keyof Rates): number {
  return maxRate / usdRate(type, kind);
}

/** Units of token prices besides USD per million. */
export const entryUnits = ['ratio', 'usd-thousand', 'cny-million', 'cny-thousand'] as const;
export type EntryUnit = (typeof entryUnits)[number];

/** USD per million tokens at ratio 1, which is one point per token. */
const USD_OF_RATIO = 2;
/** Rounds to nine decimals, more than any price has. */
const EXACT = 1e9;

/** Returns USD per million tokens; undefined for an invalid text. */
export function usdPerMillion(typed: string, unit: EntryUnit, yuanPerUsd: number): number | undefined {
  const amount = parseNumberText(typed);
  if (!Number.isFinite(amount) || amount < 0) return undefined;
  return Math.round(amount * factorOf(unit, yuanPerUsd) * EXACT) / EXACT;
}

function factorOf(unit: EntryUnit, yuanPerUsd: number): number {
  switch (unit) {
    case 'ratio':
      return USD_OF_RATIO;
    case 'usd-thousand':
      return 1_000;
    case 'cny-million':
      return 1 / yuanPerUsd;
    case 'cny-thousand':
      return 1_000 / yuanPerUsd;
  }
}
