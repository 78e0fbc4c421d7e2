/** Turns the provider data of genai-prices into one flat list of names and trailing-`*` patterns. */
import type { MatchLogic, ModelInfo, Provider } from '@pydantic/genai-prices';

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

export interface ListedModel {
  model: string;
  /** Provider id of genai-prices. */
  owner: string;
}

/**
 * Returns every name with its data; if two providers have one, the vendor's, else the first host's.
 * @param read returns a line's data besides name and owner; undefined leaves the model out
 */
export function listModels<T extends object>(
  providers: readonly Provider[],
  read: (model: ModelInfo, owner: string) => T | undefined,
): (ListedModel & T)[] {
  const listed = new Map<string, ListedModel & T>();
  for (const id of [...vendors, ...hosts]) {
    const provider = providers.find((candidate) => candidate.id === id);
    if (provider === undefined) throw new Error(`The price data has no provider ${id} any more`);
    const known = [...listed.keys()];
    for (const model of provider.models) {
      const facts = read(model, id);
      if (facts === undefined) continue;
      for (const name of listNames(provider, model)) {
        if (name.endsWith('*') && !isVendor(id)) continue;
        if (listed.has(name) || known.some((entry) => appliesTo(entry, name))) continue;
        listed.set(name, { model: name, owner: id, ...facts });
      }
    }
  }
  return [...listed.values()];
}

export function isVendor(id: string): boolean {
  return vendors.includes(id);
}

/** Removes names with the same data as the entry that would apply otherwise. */
export function omitRedundant<T extends ListedModel>(
  entries: readonly T[],
  find: (others: readonly T[], name: string) => T | undefined = findEntry,
): T[] {
  const saying = (entry: T): string => JSON.stringify({ ...entry, model: '' });
  return entries
    .filter((entry) => {
      const others = entries.filter((other) => other !== entry);
      const next = find(others, entry.model);
      return next === undefined || saying(next) !== saying(entry);
    })
    .toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

/** Returns whether an entry applies to a name (or to every name that a pattern matches). */
export function appliesTo(entry: string, name: string): boolean {
  return entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : entry === name;
}

/** Returns the entry that applies to a name: the exact one, else the longest pattern. */
export function findEntry<T extends { model: string }>(entries: readonly T[], name: string): T | undefined {
  let best: T | undefined;
  for (const entry of entries) {
    if (entry.model === name) return entry;
    if (appliesTo(entry.model, name) && entry.model.length > (best?.model.length ?? 0)) best = entry;
  }
  return best;
}

/** Returns the names and patterns of a rule; parts that have no equivalent are left out. */
function listNames(provider: Provider, model: ModelInfo): string[] {
  const names = [...listClauseNames(model.match)];
  // An id that another model's rule matches first is not a name of this one.
  if (findOwner(provider, model.id) === model) names.push(model.id);
  return names
    .filter((name) => name !== '' && !name.slice(0, -1).includes('*'))
    .filter((name) => findOwner(provider, name.replace(/\*$/, '')) === model || isOnlyPrefix(provider, name));
}

/** `gpt-5-nano-*` itself names no model, so nothing else can own its beginning. */
function isOnlyPrefix(provider: Provider, name: string): boolean {
  return name.endsWith('*') && findOwner(provider, name.slice(0, -1)) === undefined;
}

function listClauseNames(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(listClauseNames);
  if ('equals' in match) return [match.equals];
  if ('ends_with' in match) return [match.ends_with];
  if ('starts_with' in match) return [`${match.starts_with}*`];
  if ('contains' in match) return [`${match.contains}*`];
  if ('regex' in match) return parseDatedName(match.regex);
  return [];
}

/** `^name-\d{8}$` and `^name-\d{4}-\d{2}-\d{2}$` are dated releases of a name. */
function parseDatedName(regex: string): string[] {
  const name = /^\^((?:[\w/:-]|\\\.)+-)\\d\{[48]\}/.exec(regex)?.[1];
  return name === undefined ? [] : [`${name.replaceAll('\\.', '.')}20*`];
}

function findOwner(provider: Provider, name: string): ModelInfo | undefined {
  return provider.models.find((model) => matchesName(model.match, name.toLowerCase()));
}

function matchesName(match: MatchLogic, name: string): boolean {
  if ('or' in match) return match.or.some((part) => matchesName(part, name));
  if ('and' in match) return match.and.every((part) => matchesName(part, name));
  if ('equals' in match) return name === match.equals.toLowerCase();
  if ('starts_with' in match) return name.startsWith(match.starts_with.toLowerCase());
  if ('ends_with' in match) return name.endsWith(match.ends_with.toLowerCase());
  if ('contains' in match) return name.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(name);
}
