/** Reads a list of models and prices in any known format. An invalid entry is skipped as a whole and reported. */
import { LIST_ENTRIES_MAX, type ListFormat, type ListProblem } from '@switchyard/contract/catalog/catalog-updates';
import { modelMetadata } from '@switchyard/contract/catalog/models';
import { imageRates, rate, rates, tiers } from '@switchyard/contract/catalog/price-rates';
import { savePrice } from '@switchyard/contract/catalog/prices';
import { isObject } from '@switchyard/relay/json';
import { z } from 'zod';
import { fieldError } from '../../platform/http/app-error.ts';
import { issueContext, toFieldErrors } from '../../platform/http/field-errors.ts';
import { findChannelType } from '../prices/prices.ts';
import { parseList } from './fetch-and-parse-price-list.ts';
import {
  omitUndefined,
  type RawEntry,
  readLiteLlm,
  readModelsDev,
  readNewApi,
  readOneHubRatios,
} from './price-list-formats.ts';

/** Rates of a listed price. Null means that a kind of use has no separate rate; absent means unknown. */
const listedRates = z.object(
  Object.fromEntries(Object.keys(rates.shape).map((name) => [name, rate.nullable().optional()])),
);
const listedPrice = savePrice.pick({ type: true }).extend({
  /** 0: unknown. */
  channel_type: z.int().min(0).default(0),
  rates: listedRates.extend({ input: rate.optional(), output: rate.optional() }),
  image_rates: imageRates.unwrap().optional(),
  tiers: tiers.unwrap().optional(),
});

/** One model of a list. Fields missing in the list are absent. */
export const catalogueEntry = z.object({
  model: savePrice.shape.model,
  price: listedPrice.optional(),
  facts: modelMetadata.extend({ owner: z.string().max(64).optional() }).optional(),
});
export type CatalogueEntry = z.output<typeof catalogueEntry>;
/** Entry of our own lists, which always contain both rates. */
const ownEntry = catalogueEntry.extend({
  price: listedPrice.extend({ rates: listedRates.extend({ input: rate, output: rate }) }).optional(),
});
export type ListedPrice = z.output<typeof listedPrice>;

export interface ParsedList {
  format: ListFormat;
  entries: CatalogueEntry[];
  problems: ListProblem[];
}

/**
 * @param field of the form that contains the list, for errors
 * @throws AppError if it is not a list, too long, or in a currency other than USD
 */
export function readList(text: string, field: 'text' | 'url'): ParsedList {
  const { format, raw } = detectFormat(parseList(text, field), field);
  if (raw.length > LIST_ENTRIES_MAX)
    throw fieldError(
      field,
      'list-too-long',
      `The list has ${raw.length} entries. At most ${LIST_ENTRIES_MAX} are allowed.`,
    );
  const problems: ListProblem[] = [];
  const entries = new Map<string, CatalogueEntry>();
  const seen = new Set<string>();
  for (const entry of raw) {
    const read = validateEntry(entry, format === 'switchyard' ? ownEntry : catalogueEntry);
    if ('problem' in read) {
      problems.push(read.problem);
      continue;
    }
    const { model } = read.entry;
    if (seen.has(model)) {
      // It is unknown which of the entries is correct.
      entries.delete(model);
      problems.push({ place: entry.position, model, rule: 'duplicate', message: 'This name appears more than once' });
    } else if (read.entry.price !== undefined || read.entry.facts !== undefined) entries.set(model, read.entry);
    seen.add(model);
  }
  if (entries.size === 0 && problems.length === 0) throw fieldError(field, 'empty-list', 'The list contains no models');
  return { format, entries: [...entries.values()], problems };
}

function detectFormat(list: unknown, field: string): { format: ListFormat; raw: RawEntry[] } {
  if (Array.isArray(list)) return detectArrayFormat(list);
  if (!isObject(list)) throw unknownFormatError(field);
  checkCurrency(list['currency'], field);
  // A response of another gateway's price list has an envelope.
  if (Array.isArray(list['data'])) return detectArrayFormat(list['data']);
  const [prices, models] = [list['prices'], list['models']];
  if (Array.isArray(prices) || Array.isArray(models))
    return {
      format: 'switchyard',
      raw: mergeEntries([...readOwnPrices(Array.isArray(prices) ? prices : []), ...readOwnModels(models)]),
    };
  const values = Object.values(list);
  if (values.length > 0 && values.every((value) => isObject(value) && isObject(value['models'])))
    return { format: 'models.dev', raw: readModelsDev(list) };
  const isLiteLlm = values.some((value) => isObject(value) && 'litellm_provider' in value);
  if (isLiteLlm) return { format: 'litellm', raw: readLiteLlm(list) };
  throw unknownFormatError(field);
}

function detectArrayFormat(list: readonly unknown[]): { format: ListFormat; raw: RawEntry[] } {
  const some = (isWhole: (item: Readonly<Record<string, unknown>>) => boolean): boolean =>
    list.some((item) => isObject(item) && isWhole(item));
  if (some((item) => isObject(item['rates']))) return { format: 'switchyard', raw: readOwnPrices(list) };
  if (some((item) => 'model_ratio' in item)) return { format: 'new-api', raw: readNewApi(list) };
  return { format: 'ratios', raw: readOneHubRatios(list) };
}

function unknownFormatError(field: string): Error {
  return fieldError(field, 'unknown-list', 'This is not a list of models and prices in a known format');
}

function checkCurrency(currency: unknown, field: string): void {
  if (currency !== undefined && currency !== 'USD')
    throw fieldError(field, 'unknown-currency', 'The list is not in USD. Only prices in USD can be imported.');
}

/** Reads the prices of the shipped list and of another gateway's `/api/prices`. */
function readOwnPrices(list: readonly unknown[]): RawEntry[] {
  return list.map((item, index) => {
    const fields = isObject(item) ? item : {};
    const { owner, channel_type = typeof owner === 'string' ? findChannelType(owner) : undefined } = fields;
    const { type } = fields;
    return {
      position: `prices.${index}`,
      model: fields['model'],
      currency: fields['currency'],
      price: { type, channel_type, rates: fields['rates'], image_rates: fields['image_rates'], tiers: fields['tiers'] },
    };
  });
}

function readOwnModels(list: unknown): RawEntry[] {
  return (Array.isArray(list) ? list : []).map((item: unknown, index) => {
    const { model, ...facts } = isObject(item) ? item : {};
    return { position: `models.${index}`, model, facts: omitUndefined(facts) };
  });
}

/** Merges a price and facts with the same name into one entry. Two prices with the same name stay two entries. */
function mergeEntries(raw: readonly RawEntry[]): RawEntry[] {
  const priced = new Map(raw.filter(({ price }) => price !== undefined).map((entry) => [entry.model, entry]));
  const withFacts = new Set<unknown>();
  return raw.flatMap((entry) => {
    const partner = priced.get(entry.model);
    if (entry.price !== undefined || partner === undefined || withFacts.has(entry.model)) return [entry];
    withFacts.add(entry.model);
    partner.facts = entry.facts;
    return [];
  });
}

function validateEntry(
  { position, model, currency, price, facts }: RawEntry,
  schema: typeof catalogueEntry | typeof ownEntry,
): { entry: CatalogueEntry } | { problem: ListProblem } {
  const name = typeof model === 'string' ? model.slice(0, 128) : '';
  if (currency !== undefined && currency !== 'USD') {
    const message = 'The price is not in USD';
    return { problem: { place: `${position}.currency`, model: name, rule: 'unknown-currency', message } };
  }
  const parsed = schema.safeParse({ model, price, facts }, issueContext);
  if (parsed.success) return { entry: parsed.data };
  const [issue] = parsed.error.issues;
  const [field] = toFieldErrors(parsed.error.issues.slice(0, 1), { model, price, facts });
  const [first, ...path] = issue?.path ?? [];
  // Our entries group the list's fields in one object, which its position does not contain.
  const own = first === 'price' || first === 'facts' ? path : [first, ...path];
  const rule = issue?.code === 'too_small' && first === 'price' ? 'negative' : (issue?.code ?? 'custom');
  return { problem: { place: [position, ...own].join('.'), model: name, rule, message: field?.message ?? '' } };
}
