/** Compares a list with the present state, line by line and field by field. */
import { type CatalogueChange, type CatalogueLine, EXTREME_FACTOR } from '@switchyard/contract/catalog/catalog-updates';
import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import type { Price } from '@switchyard/contract/catalog/prices';
import { providers } from '@switchyard/relay';
import { tokenCounters } from '@switchyard/relay/usage';
import { resolveTokenRate } from '../../ledger/ledger.ts';
import type { FindModelMetadata, KnownModel } from '../models/models.ts';
import { findUnlistedRates } from '../prices/prices.ts';
import type { CatalogueEntry, ListedPrice } from './read-price-list.ts';

/** Prices and facts in effect now. */
export interface CurrentState {
  prices: ReadonlyMap<string, Price>;
  /** Returns the price of a model, matching wildcards. */
  findPrice(model: string): Price | undefined;
  /** Returns the shipped price of a model. */
  findShippedPrice(model: string): Pick<Price, 'type' | 'rates' | 'image_rates'> | undefined;
  findMetadata: FindModelMetadata;
  /** Models without a price that no refresh changes. */
  lockedFacts: ReadonlySet<string>;
}

export interface ComparedList {
  entries: readonly CatalogueEntry[];
  /** True if the list is not about the models of this gateway, so that a missing model does not count as removed. */
  partial: boolean;
  /** Names of entries that could not be read, which do not count as removed. */
  unreadableModels: ReadonlySet<string>;
}

type Proposal = Omit<Price, 'model' | 'input' | 'output' | 'version' | 'locked'>;
type Fields = ReadonlyMap<string, string | number | null>;

/** Rate for a million tokens above which the list is most likely wrong. */
const IMPLAUSIBLE_RATE = 10_000 * RATE_OF_USD_PER_MILLION;
const NO_FIELDS: Fields = new Map();
/** Rates that a new price keeps if its list doesn't mention them. */
const toolFields: ReadonlySet<string> = new Set([
  'rates.webSearch',
  'rates.mapsGrounding',
  'rates.codeExecution',
  'rates.fileSearch',
]);

/** Compares a list with the present state. Returns the lines sorted by model, without those that change nothing. */
export function compareList(list: ComparedList, present: CurrentState): CatalogueLine[] {
  const lines = list.entries.flatMap((entry) => compareEntry(entry, present) ?? []);
  const listed = new Set(list.entries.filter(({ price }) => price !== undefined).map(({ model }) => model));
  const hasPrices = !list.partial && listed.size > 0;
  for (const price of hasPrices ? present.prices.values() : [])
    if (!listed.has(price.model) && !list.unreadableModels.has(price.model))
      lines.push(buildRemovedLine(price, present.lockedFacts.has(price.model)));
  return lines.toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

/**
 * Returns the price after applying a list; undefined if the list has none. Fields missing in the list are kept,
 * unless the type of the price changes. A new price has the rates of vendor tools and images that applied to the
 * model before, or are shipped.
 */
export function buildProposedPrice(
  { model, price: listed }: CatalogueEntry,
  present: CurrentState,
): Proposal | undefined {
  if (listed === undefined) return undefined;
  const { type } = listed;
  const before = present.prices.get(model);
  const own = before?.type === type ? before : undefined;
  const known = [present.findPrice(model), present.findShippedPrice(model)];
  const kept = own ?? findUnlistedRates({ type, image: listed.rates['image'] }, known);
  return {
    type,
    channel_type: listed.channel_type || (before?.channel_type ?? 0),
    rates: rates.parse({ input: 0, output: 0, ...kept.rates, ...omitEmptyRates(listed.rates) }),
    image_rates: listed.image_rates ?? kept.image_rates,
    tiers: listed.tiers ?? own?.tiers ?? [],
  };
}

/** Returns the model's metadata after applying a list; undefined if the list changes nothing. */
export function buildProposedMetadata(
  { model, facts }: CatalogueEntry,
  factsOf: FindModelMetadata,
): KnownModel | undefined {
  if (facts === undefined) return undefined;
  const known = factsOf(model);
  const proposed = { ...known, ...facts, model };
  return listChanges(factFields(known), factFields(proposed)).length === 0 ? undefined : proposed;
}

/** Removes rates without a value. */
function omitEmptyRates(listed: ListedPrice['rates']): Partial<ListedPrice['rates']> {
  return Object.fromEntries(Object.entries(listed).filter(([, rate]) => rate !== undefined));
}

function compareEntry(entry: CatalogueEntry, present: CurrentState): CatalogueLine | undefined {
  const { model } = entry;
  const price = present.prices.get(model);
  const proposed = buildProposedPrice(entry, present);
  const known = present.findMetadata(model);
  const facts = buildProposedMetadata(entry, present.findMetadata);
  const priceChanges =
    proposed === undefined ? [] : listChanges(price ? priceFields(price) : NO_FIELDS, priceFields(proposed));
  const changes = [...priceChanges, ...(facts === undefined ? [] : listChanges(factFields(known), factFields(facts)))];
  if (changes.length === 0) return undefined;
  const isNew = proposed === undefined ? price === undefined && known === undefined : price === undefined;
  return {
    model,
    kind: isNew ? 'added' : 'changed',
    type: proposed?.type ?? price?.type ?? 'tokens',
    locked: price?.locked === true || present.lockedFacts.has(model),
    extreme: proposed !== undefined && isExtreme(price ?? present.findPrice(model), proposed),
    version: price?.version ?? 0,
    changes,
  };
}

function buildRemovedLine(price: Price, isLocked: boolean): CatalogueLine {
  const { model, type, version } = price;
  const locked = price.locked || isLocked;
  const changes = listChanges(priceFields(price), NO_FIELDS);
  return { model, kind: 'gone', type, locked, extreme: false, version, changes };
}

function priceFields({ type, channel_type, rates, image_rates, tiers }: Proposal): Fields {
  return new Map<string, string | number | null>([
    ['type', type],
    ['owner', providers.find(({ channelType }) => channelType === channel_type)?.label ?? null],
    ...Object.entries(rates).map(([name, rate]) => [`rates.${name}`, rate] as const),
    ...Object.entries(image_rates).map(([variant, rate]) => [`images.${variant}`, rate] as const),
    ...tiers.flatMap((tier) =>
      Object.entries(tier.rates).map(([name, rate]) => [`tiers.${tier.above}.${name}`, rate] as const),
    ),
  ]);
}

function factFields(facts: KnownModel | undefined): Fields {
  const { model: _name, owner, ...rest } = facts ?? { model: '' };
  return new Map<string, string | number | null>([
    ['maker', owner ?? null],
    ...Object.entries(rest).map(
      ([name, value]) =>
        [name, Array.isArray(value) ? value.join(', ') : value === true ? 'true' : (value ?? null)] as const,
    ),
  ]);
}

function listChanges(before: Fields, after: Fields): CatalogueChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((field) => {
    const [old, now] = [before.get(field) ?? null, after.get(field) ?? null];
    return old === now ? [] : [{ field, before: old, after: now }];
  });
}

/** Returns the price of each kind of use, including those that the price doesn't set itself. */
function resolveRates({ rates, image_rates, tiers }: Proposal): { of(field: string): number; fields: string[] } {
  const known = new Map<string, number>();
  // A unit without a rate is free.
  for (const [name, rate] of Object.entries(rates)) known.set(`rates.${name}`, rate ?? 0);
  for (const counter of tokenCounters) known.set(`rates.${counter}`, resolveTokenRate(rates, counter));
  for (const [variant, rate] of Object.entries(image_rates)) known.set(`images.${variant}`, rate);
  for (const { above, rates: own } of tiers)
    for (const counter of tokenCounters) known.set(`tiers.${above}.${counter}`, resolveTokenRate(own, counter));
  const usual = (field: string): number =>
    known.get(field.startsWith('images.') ? 'rates.image' : field.replace(/^tiers\.\d+/, 'rates')) ?? 0;
  return { of: (field) => known.get(field) ?? usual(field), fields: [...known.keys()] };
}

function isExtreme(before: Price | undefined, after: Proposal): boolean {
  const now = resolveRates(after);
  const isAbsurd = (field: string): boolean =>
    after.type === 'tokens' && /^(?:rates|tiers\.\d+)\.(?:in|out)put$/.test(field) && now.of(field) > IMPLAUSIBLE_RATE;
  if (now.fields.some(isAbsurd)) return true;
  // A new price of 0 is unlikely to be intended.
  if (before === undefined) return now.fields.every((field) => toolFields.has(field) || now.of(field) === 0);
  if (before.type !== after.type) return true;
  const was = resolveRates(before);
  return [...new Set([...was.fields, ...now.fields])].some((field) => {
    const [old, rate] = [was.of(field), now.of(field)];
    return old > 0 && (rate >= old * EXTREME_FACTOR || rate * EXTREME_FACTOR <= old);
  });
}
