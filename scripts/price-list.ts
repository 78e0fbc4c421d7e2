/** Turns the provider data of genai-prices into one flat list of names and trailing-`*` patterns with their rates and tiers. */
import type { MatchLogic, ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices';
import { RATE_OF_USD_PER_MILLION, RATE_OF_USD_PER_UNIT, type Rates } from '../packages/contract/src/rates.ts';

export interface ListedPrice {
  model: string;
  owner: string;
  rates: ListedRates;
  /** Lowest first; absent when there are none. */
  tiers?: ListedTier[];
}

type ListedRates = Partial<Rates> & Pick<Rates, 'input' | 'output'>;
interface ListedTier {
  /** Prompt tokens. */
  above: number;
  rates: ListedRates;
}

export interface PriceList {
  prices: ListedPrice[];
  /** `owner model: what was left out`, for the reader of the script's output. */
  simplified: string[];
  skipped: string[];
}

/** Vendors of their own models, whose prices win over those of hosts; the order decides between two vendors. */
const vendors = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'deepseek',
  'x-ai',
  'cohere',
  'moonshotai',
  'minimax',
  'zai',
  'zhipuai',
  'perplexity',
  'voyageai',
  'arcee',
];
/** Hosts of other vendors' models: only exact names, and only those that no vendor has. */
const hosts = [
  'groq',
  'cerebras',
  'together',
  'fireworks',
  'aws',
  'azure',
  'cloudflare',
  'baseten',
  'novita',
  'ovhcloud',
  'openrouter',
];

const rateKeys: Readonly<Record<string, keyof Rates>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cachedRead',
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
/** 1 USD for a thousand calls, in nano-points for a call. */
const RATE_OF_USD_PER_THOUSAND = RATE_OF_USD_PER_UNIT / 1_000;

export function listPrices(providers: readonly Provider[], now: Date): PriceList {
  const listed = new Map<string, ListedPrice>();
  const simplified: string[] = [];
  const skipped: string[] = [];
  for (const id of [...vendors, ...hosts]) {
    const provider = providers.find((candidate) => candidate.id === id);
    if (provider === undefined) throw new Error(`The price data has no provider ${id} any more`);
    const known = [...listed.keys()];
    for (const model of provider.models) {
      const { rates, tiers, notes } = readRates(model, now);
      if (rates === undefined) {
        skipped.push(`${id} ${model.id}: no price for tokens`);
        continue;
      }
      if (notes.length > 0) simplified.push(`${id} ${model.id}: ${notes.join(', ')}`);
      for (const name of namesOf(provider, model)) {
        if (name.endsWith('*') && !vendors.includes(id)) continue;
        if (listed.has(name) || known.some((entry) => covers(entry, name))) continue;
        listed.set(name, { model: name, owner: id, rates, ...(tiers.length > 0 && { tiers }) });
      }
    }
  }
  return { prices: withoutRedundant(listed), simplified, skipped };
}

/** Whether a price entry applies to a name (or to every name that a pattern stands for). */
export function covers(entry: string, name: string): boolean {
  return entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : entry === name;
}

/** The entry that applies to a name: the exact one, else the longest pattern. */
export function findEntry<T extends { model: string }>(prices: readonly T[], name: string): T | undefined {
  let best: T | undefined;
  for (const price of prices) {
    if (price.model === name) return price;
    if (covers(price.model, name) && price.model.length > (best?.model.length ?? 0)) best = price;
  }
  return best;
}

/** Names and patterns that a rule implies; parts of a rule that cannot be said so are left out. */
function namesOf(provider: Provider, model: ModelInfo): string[] {
  const names = [...clauseNames(model.match)];
  // An id that another model's rule catches first is not a name of this one.
  if (ownerOf(provider, model.id) === model) names.push(model.id);
  return names
    .filter((name) => name !== '' && !name.slice(0, -1).includes('*'))
    .filter((name) => ownerOf(provider, name.replace(/\*$/, '')) === model || isOnlyPrefix(provider, name));
}

/** `gpt-5-nano-*` itself names no model, so nothing else can own its beginning. */
function isOnlyPrefix(provider: Provider, name: string): boolean {
  return name.endsWith('*') && ownerOf(provider, name.slice(0, -1)) === undefined;
}

function clauseNames(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(clauseNames);
  if ('equals' in match) return [match.equals];
  if ('ends_with' in match) return [match.ends_with];
  if ('starts_with' in match) return [`${match.starts_with}*`];
  if ('contains' in match) return [`${match.contains}*`];
  if ('regex' in match) return datedName(match.regex);
  return [];
}

/** `^name-\d{8}$` and `^name-\d{4}-\d{2}-\d{2}$` are dated releases of a name. */
function datedName(regex: string): string[] {
  const name = /^\^((?:[\w/:-]|\\\.)+-)\\d\{[48]\}/.exec(regex)?.[1];
  return name === undefined ? [] : [`${name.replaceAll('\\.', '.')}20*`];
}

function ownerOf(provider: Provider, name: string): ModelInfo | undefined {
  return provider.models.find((model) => matches(model.match, name.toLowerCase()));
}

function matches(match: MatchLogic, name: string): boolean {
  if ('or' in match) return match.or.some((part) => matches(part, name));
  if ('and' in match) return match.and.every((part) => matches(part, name));
  if ('equals' in match) return name === match.equals.toLowerCase();
  if ('starts_with' in match) return name.startsWith(match.starts_with.toLowerCase());
  if ('ends_with' in match) return name.endsWith(match.ends_with.toLowerCase());
  if ('contains' in match) return name.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(name);
}

function readRates(
  model: ModelInfo,
  now: Date,
): { rates?: ListedRates; tiers: ListedTier[]; notes: string[] } {
  const notes: string[] = [];
  const prices = currentPrices(model, now, notes);
  const unknown = Object.keys(prices).filter((key) => !Object.hasOwn({ ...rateKeys, ...callKeys }, key));
  notes.push(...unknown.map((key) => `no ${key}`));
  const rates = tokenRatesAt(prices, 0);
  // An empty price is how the source says free; only other units (hours, pages) means that tokens have no price.
  if (rates === undefined && Object.keys(prices).length > 0) return { tiers: [], notes };
  const starts = new Set(
    Object.values(prices)
      .flatMap((price) => (typeof price === 'object' ? price.tiers : []))
      .map(({ start }) => start),
  );
  const tiers = [...starts]
    .toSorted((a, b) => a - b)
    .map((above) => ({ above, rates: tokenRatesAt(prices, above) ?? { input: 0, output: 0 } }));
  return {
    rates: { ...rates, input: rates?.input ?? 0, output: rates?.output ?? 0, ...callRates(prices) },
    tiers,
    notes,
  };
}

/** The rates of the tier that begins at a size, 0 for the first; undefined when tokens have no price. */
function tokenRatesAt(prices: ModelPrice, start: number): ListedRates | undefined {
  const rates: Partial<Rates> = {};
  for (const [key, counter] of Object.entries(rateKeys)) {
    const price = prices[key];
    if (price === undefined) continue;
    const usd =
      typeof price === 'number'
        ? price
        : (price.tiers.findLast((tier) => tier.start <= start)?.price ?? price.base);
    rates[counter] = Math.round(usd * RATE_OF_USD_PER_MILLION);
  }
  if (rates.input === undefined && rates.output === undefined) return undefined;
  // The source's one price for cache writes is for both lifetimes unless it names the longer one.
  if (rates.cacheWrite1h === undefined && rates.cacheWrite5m !== undefined)
    rates.cacheWrite1h = rates.cacheWrite5m;
  return { ...rates, input: rates.input ?? 0, output: rates.output ?? 0 };
}

function callRates(prices: ModelPrice): Partial<Rates> {
  return Object.fromEntries(
    Object.entries(callKeys).flatMap(([key, counter]) => {
      const price = prices[key];
      return typeof price === 'number' ? [[counter, Math.round(price * RATE_OF_USD_PER_THOUSAND)]] : [];
    }),
  );
}

/** The newest price that has begun; prices of certain hours are left out. */
function currentPrices(model: ModelInfo, now: Date, notes: string[]): ModelPrice {
  if (!Array.isArray(model.prices)) return model.prices;
  let current: ModelPrice | undefined;
  for (const { constraint, prices } of model.prices) {
    if (constraint?.type === 'time_of_date') notes.push('one price for all hours');
    else if (constraint === undefined || now >= new Date(constraint.start_date)) current = prices;
  }
  return current ?? model.prices[0]?.prices ?? {};
}

/** Drops names to which a pattern gives the same price anyway. */
function withoutRedundant(listed: ReadonlyMap<string, ListedPrice>): ListedPrice[] {
  const all = [...listed.values()];
  return all
    .filter((entry) => {
      const others = all.filter((other) => other !== entry);
      const next = findEntry(others, entry.model);
      return (
        next === undefined ||
        next.owner !== entry.owner ||
        JSON.stringify([next.rates, next.tiers]) !== JSON.stringify([entry.rates, entry.tiers])
      );
    })
    .toSorted((a, b) => (a.model < b.model ? -1 : 1));
}
