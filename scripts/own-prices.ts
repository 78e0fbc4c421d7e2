/**
 * Prices that genai-prices cannot express, because they are not for tokens: kept by hand in `own-prices.json`, in
 * USD, each with the vendor's page.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { RATE_OF_USD_PER_MILLION, RATE_OF_USD_PER_UNIT } from '../packages/contract/src/catalog/price-rates.ts';
import type { AddedRates, ListedPrice } from './price-list.ts';

const usd = z.number().min(0);
const ownPrice = z.strictObject({
  // A call has one price, and no other rates.
  usd: z.union([
    z.strictObject({ call: usd }),
    z.strictObject({ millionInput: usd, character: usd, second: usd, image: usd, search: usd }).partial(),
  ]),
  /** Prices of an image, or of a second of video, by size and quality. */
  images: z.record(z.string(), usd).optional(),
});
const ownPrices = z.object({
  prices: z.array(
    z.strictObject({
      source: z.url(),
      /** Factor from the vendor's unit to ours. */
      note: z.string().optional(),
      owner: z.string(),
      models: z.record(z.string(), ownPrice),
    }),
  ),
  /** Prices of audio and image tokens, by prefixes of model names, for models whose source only has those of text. */
  media: z.array(
    z.strictObject({
      source: z.url(),
      note: z.string().optional(),
      owner: z.string(),
      usdPerMillion: z.record(
        z.string(),
        z.strictObject({ audioInput: usd, audioOutput: usd, imageOutput: usd }).partial(),
      ),
    }),
  ),
  /** Prices of searches, by prefixes of model names, for models whose searches are missing or wrong in the source. */
  searches: z.array(
    z.strictObject({
      source: z.url(),
      note: z.string().optional(),
      owner: z.string(),
      usdPerThousand: z.record(z.string(), z.strictObject({ webSearch: usd, mapsGrounding: usd }).partial()),
    }),
  ),
});

function readFile(): z.output<typeof ownPrices> {
  return ownPrices.parse(JSON.parse(readFileSync(new URL('./own-prices.json', import.meta.url), 'utf8')));
}

export function readOwnPrices(): ListedPrice[] {
  return readFile().prices.flatMap(({ source, owner, models }) =>
    Object.entries(models).map(([model, price]) => ({ model, owner, ...toListedRates(price), source })),
  );
}

/** Returns the rates that the list adds to those of its source. */
export function readAddedRates(): AddedRates[] {
  const { media, searches } = readFile();
  return [
    ...media.flatMap(({ owner, usdPerMillion }) => toAddedRates(owner, usdPerMillion, 1_000_000)),
    ...searches.flatMap(({ owner, usdPerThousand }) => toAddedRates(owner, usdPerThousand, 1_000)),
  ];
}

function toAddedRates(
  owner: string,
  amountsByBegin: Readonly<Record<string, Readonly<Record<string, number | undefined>>>>,
  units: number,
): AddedRates[] {
  return Object.entries(amountsByBegin).map(([begin, amounts]) => ({
    owner,
    begin,
    rates: mapToRates(amounts, units),
  }));
}

function toListedRates({ usd, images }: z.output<typeof ownPrice>) {
  if ('call' in usd) return { type: 'times' as const, rates: { input: toUnitRate(usd.call), output: 0 } };
  const { millionInput = 0, ...units } = usd;
  const input = Math.round(millionInput * RATE_OF_USD_PER_MILLION);
  const image_rates = images && mapToRates(images);
  return { rates: { input, output: 0, ...mapToRates(units) }, ...(image_rates && { image_rates }) };
}

/** @param units number of units that the amounts are for */
function mapToRates(amounts: Readonly<Record<string, number | undefined>>, units: number = 1): Record<string, number> {
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([name, amount]) =>
      amount === undefined ? [] : [[name, toUnitRate(amount / units)]],
    ),
  );
}

const toUnitRate = (amount: number): number => Math.round(amount * RATE_OF_USD_PER_UNIT);
