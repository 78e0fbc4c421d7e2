/** The rates and tiers of genai-prices for every name and pattern, and our own prices. */
import type { ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices';
import {
  getHourlyCacheWriteFactor,
  RATE_OF_USD_PER_MILLION,
  RATE_OF_USD_PER_UNIT,
  type Rates,
} from '../packages/contract/src/catalog/price-rates.ts';
import { type ListedModel, listModels, omitRedundant } from './model-names.ts';

export interface ListedPrice extends ListedModel {
  /** True if the price is per call; false if it is by tokens and units. */
  type?: 'times';
  rates: ListedRates;
  image_rates?: Record<string, number>;
  /** Lowest first; absent without tiers. */
  tiers?: ListedTier[];
  /** The vendor's page of one of our own prices. */
  source?: string;
}

/** Rates that the source lacks for models of one owner. */
export interface AddedRates {
  owner: string;
  /** Prefixes of the models' names. */
  begin: string;
  /** Nano-points per token or search. */
  rates: Partial<Rates>;
}

type ListedRates = Partial<Rates> & Pick<Rates, 'input' | 'output'>;
interface ListedTier {
  /** Minimum prompt tokens. */
  above: number;
  rates: ListedRates;
}

export interface PriceList {
  prices: ListedPrice[];
  /** `owner model: what was left out`, for the script's output. */
  simplified: string[];
  skipped: string[];
}

const rateKeys: Readonly<Record<string, keyof Rates>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cachedRead',
  cache_audio_read_mtok: 'cachedAudioInput',
  cache_image_read_mtok: 'cachedImageInput',
  cache_write_mtok: 'cacheWrite5m',
  cache_write_1h_mtok: 'cacheWrite1h',
  output_reasoning_mtok: 'reasoning',
  input_audio_mtok: 'audioInput',
  output_audio_mtok: 'audioOutput',
  input_image_mtok: 'imageInput',
  output_image_mtok: 'imageOutput',
};
const callKeys: Readonly<Record<string, keyof Rates>> = {
  web_searches_kcount: 'webSearch',
  storage_searches_kcount: 'fileSearch',
};
/** 1 USD for a thousand calls, in nano-points per call. */
const RATE_OF_USD_PER_THOUSAND = RATE_OF_USD_PER_UNIT / 1_000;
/** Input audio in USD; `audio_hours` repeats it. */
const HOURS = 'input_audio_hours';
const SECONDS_PER_HOUR = 3_600;
/**
 * Its short name is also used for chats, whose token prices the source lacks: with a price by seconds they would be
 * free.
 */
const ALSO_CHATS = 'voxtral-mini';
const knownKeys = new Set([...Object.keys(rateKeys), ...Object.keys(callKeys), HOURS, 'audio_hours']);

/**
 * @param own prices that win over the source's for the same name
 * @param added rates of models whose source has none or wrong ones; for each counter, the first applies
 */
export function listPrices(
  providers: readonly Provider[],
  now: Date,
  own: readonly ListedPrice[] = [],
  added: readonly AddedRates[] = [],
): PriceList {
  const simplified: string[] = [];
  const skipped: string[] = [];
  const listed = listModels(providers, (model, owner): Omit<ListedPrice, keyof ListedModel> | undefined => {
    const { rates, tiers, notes } = readRates(model, now);
    if (rates === undefined) skipped.push(`${owner} ${model.id}: no price for tokens or seconds`);
    else if (notes.length > 0) simplified.push(`${owner} ${model.id}: ${notes.join(', ')}`);
    return rates && { rates, ...(tiers.length > 0 && { tiers }) };
  });
  const ownNames = new Set(own.map(({ model }) => model));
  const others = listed.filter(({ model }) => !ownNames.has(model)).map((price) => addRates(price, added));
  return { prices: omitRedundant([...own, ...others]), simplified, skipped };
}

function addRates(price: ListedPrice, added: readonly AddedRates[]): ListedPrice {
  const { owner, model, rates } = price;
  const known = added.filter((one) => one.owner === owner && model.startsWith(one.begin));
  if (known.length === 0) return price;
  return { ...price, rates: Object.assign({ ...rates }, ...known.toReversed().map((one) => one.rates)) };
}

function readRates(model: ModelInfo, now: Date): { rates?: ListedRates; tiers: ListedTier[]; notes: string[] } {
  const notes: string[] = [];
  const prices = selectCurrentPrices(model, now, notes);
  const unknown = Object.keys(prices).filter((key) => !knownKeys.has(key));
  notes.push(...unknown.map((key) => `no ${key}`));
  const longWrites = getHourlyCacheWriteFactor(model.id);
  const rates = readTokenRates(prices, 0, longWrites);
  const units = readUnitRates(prices);
  // An empty price means free in the source; only unknown units (pages, messages) mean that there is no price here.
  const isPriced = units.second !== undefined && !model.id.startsWith(ALSO_CHATS);
  if (rates === undefined && !isPriced && Object.keys(prices).length > 0) return { tiers: [], notes };
  const starts = new Set(
    Object.values(prices)
      .flatMap((price) => (typeof price === 'object' ? price.tiers : []))
      .map(({ start }) => start),
  );
  const tiers = [...starts]
    .toSorted((a, b) => a - b)
    .map((above) => ({ above, rates: readTokenRates(prices, above, longWrites) ?? { input: 0, output: 0 } }));
  return { rates: { ...rates, input: rates?.input ?? 0, output: rates?.output ?? 0, ...units }, tiers, notes };
}

/**
 * Returns the rates of the tier that begins at a size, 0 for the first; undefined if tokens have no price.
 * @param longWrites rate of one-hour cache writes relative to five-minute ones, if the source has one price for both
 */
function readTokenRates(prices: ModelPrice, start: number, longWrites: number): ListedRates | undefined {
  const rates: Partial<Rates> = {};
  for (const [key, counter] of Object.entries(rateKeys)) {
    const price = prices[key];
    if (price === undefined) continue;
    const usd =
      typeof price === 'number' ? price : (price.tiers.findLast((tier) => tier.start <= start)?.price ?? price.base);
    rates[counter] = Math.round(usd * RATE_OF_USD_PER_MILLION);
  }
  if (rates.input === undefined && rates.output === undefined) return undefined;
  if (rates.cacheWrite1h === undefined && typeof rates.cacheWrite5m === 'number')
    rates.cacheWrite1h = Math.round(rates.cacheWrite5m * longWrites);
  // Without a price of cached tokens, the source charges cached audio and images like all others of their kind.
  if (rates.cachedRead === undefined) {
    if (rates.audioInput !== undefined) rates.cachedAudioInput ??= rates.audioInput;
    if (rates.imageInput !== undefined) rates.cachedImageInput ??= rates.imageInput;
  }
  return { ...rates, input: rates.input ?? 0, output: rates.output ?? 0 };
}

function readUnitRates(prices: ModelPrice): Partial<Rates> {
  const calls = Object.entries(callKeys).flatMap(([key, counter]) => {
    const price = prices[key];
    return typeof price === 'number' ? [[counter, Math.round(price * RATE_OF_USD_PER_THOUSAND)]] : [];
  });
  const hour = prices[HOURS];
  const second =
    typeof hour === 'number' ? { second: Math.round((hour / SECONDS_PER_HOUR) * RATE_OF_USD_PER_UNIT) } : {};
  return { ...Object.fromEntries(calls), ...second };
}

/** Returns the newest price that has begun; prices for certain hours are left out. */
function selectCurrentPrices(model: ModelInfo, now: Date, notes: string[]): ModelPrice {
  if (!Array.isArray(model.prices)) return model.prices;
  let current: ModelPrice | undefined;
  for (const { constraint, prices } of model.prices) {
    if (constraint?.type === 'time_of_date') notes.push('one price for all hours');
    else if (constraint === undefined || now >= new Date(constraint.start_date)) current = prices;
  }
  return current ?? model.prices[0]?.prices ?? {};
}
