/** Turns the provider data of genai-prices into one flat list of names and trailing-`*` patterns with token rates. */
import type { MatchLogic, ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices';
import { RATE_OF_USD_PER_MILLION, type Rates } from '../packages/contract/src/prices.ts';

export interface ListedPrice {
  model: string;
  owner: string;
  rates: Partial<Rates> & Pick<Rates, 'input' | 'output'>;
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

export function listPrices(providers: readonly Provider[], now: Date): PriceList {
  const listed = new Map<string, ListedPrice>();
  const simplified: string[] = [];
  const skipped: string[] = [];
  for (const id of [...vendors, ...hosts]) {
    const provider = providers.find((candidate) => candidate.id === id);
    if (provider === undefined) throw new Error(`The price data has no provider ${id} any more`);
    const known = [...listed.keys()];
    for (const model of provider.models) {
      const { rates, notes } = readRates(model, now);
      if (rates === undefined) {
        skipped.push(`${id} ${model.id}: no price for tokens`);
        continue;
      }
      if (notes.length > 0) simplified.push(`${id} ${model.id}: ${notes.join(', ')}`);
      for (const name of namesOf(provider, model)) {
        if (name.endsWith('*') && !vendors.includes(id)) continue;
        if (listed.has(name) || known.some((entry) => covers(entry, name))) continue;
        listed.set(name, { model: name, owner: id, rates });
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

function readRates(model: ModelInfo, now: Date): { rates?: ListedPrice['rates']; notes: string[] } {
  const notes: string[] = [];
  const prices = currentPrices(model, now, notes);
  const rates: Partial<Rates> = {};
  for (const [key, price] of Object.entries(prices)) {
    if (price === undefined) continue;
    const counter = rateKeys[key];
    if (counter === undefined) {
      notes.push(`no ${key}`);
      continue;
    }
    if (typeof price !== 'number') notes.push(`${key} without tiers`);
    rates[counter] = Math.round((typeof price === 'number' ? price : price.base) * RATE_OF_USD_PER_MILLION);
  }
  // An empty price is how the source says free; only other units (hours, pages) means that tokens have no price.
  const other = Object.keys(prices).length > 0;
  if (other && rates.input === undefined && rates.output === undefined) return { notes };
  // The source's one price for cache writes is for both lifetimes unless it names the longer one.
  if (rates.cacheWrite1h === undefined && rates.cacheWrite5m !== undefined)
    rates.cacheWrite1h = rates.cacheWrite5m;
  return { rates: { ...rates, input: rates.input ?? 0, output: rates.output ?? 0 }, notes };
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
        JSON.stringify(next.rates) !== JSON.stringify(entry.rates)
      );
    })
    .toSorted((a, b) => (a.model < b.model ? -1 : 1));
}
