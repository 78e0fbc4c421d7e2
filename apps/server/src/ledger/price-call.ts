/**
 * Calculates the price of a call. Rates are whole nano-points, counters whole tokens or units, ratios whole
 * millionths; the products are exact and are rounded once, up, to a whole point. A call with any price costs at least
 * 1 point. Nothing here throws, whatever an upstream reported: a served call is always billed.
 */
import type { Rates, Tier, TokenRates } from '@switchyard/contract/catalog/price-rates';
import {
  emptyUsage,
  promptCounters,
  TOKENS_MAX,
  type TokenCounterName,
  tokenCounters,
  type UnitCounterName,
  type Usage,
  type UsageCounterName,
  unitCounters,
  usageByModel,
  usageCounters,
} from '@switchyard/relay/usage';

export interface PriceRule {
  /** Applied entry of the price list. */
  model: string;
  /** Stored version of that entry; 0 is the built-in price. */
  version: number;
  type: 'tokens' | 'times';
  rates: Rates;
  /** Rates for one image, or one second of video, by `size/quality` or size. */
  image_rates: Readonly<Record<string, number>>;
  /** Lowest first. */
  tiers: readonly Tier[];
}

/** Price factors, in millionths. */
export interface Ratios {
  group: number;
  key: number;
  /** Factor for a request of a batch. It does not apply to calls of vendor tools, which no vendor discounts. */
  batch?: number;
}

export interface PriceLine {
  counter: UsageCounterName | 'call';
  /** Model that differs from the requested one; absent otherwise. */
  model?: string;
  /** Stored version of the other model's price. */
  version?: number;
  /** Size and quality, for the image counter. */
  variant?: string;
  quantity: number;
  /** Nano-points. */
  rate: number;
  /** Present if the batch ratio does not apply to this line. */
  undiscounted?: true;
}

export interface Charge {
  points: number;
  lines: PriceLine[];
  /** Prompt tokens above which the highest tier of the model's runs applies; undefined without a tier. */
  tierAbove: number | undefined;
  /** True if a counter was implausible, or the charge exceeded `CHARGE_MAX`. */
  capped: boolean;
}

/** Ratio 1. */
export const RATIO_ONE = 1_000_000;
/** Two million USD: exceeds any call, and thousands of such charges still fit a balance. */
export const CHARGE_MAX = 1_000_000_000_000;

const NANO = 1_000_000_000;
const UNROUNDED = BigInt(NANO) * 1_000_000n * 1_000_000n * 1_000_000n;

/** Parent counters, whose rate applies when a token counter has no rate; `input` and `output` always have one. */
const parentCounters = {
  input: 'input',
  cachedRead: 'input',
  cachedAudioInput: 'cachedRead',
  cachedImageInput: 'cachedRead',
  cacheWrite5m: 'input',
  cacheWrite1h: 'input',
  audioInput: 'input',
  imageInput: 'input',
  output: 'output',
  reasoning: 'output',
  audioOutput: 'output',
  imageOutput: 'output',
} as const;

/**
 * Returns the charge for a finished call.
 * @param ruleOf price of another model that ran within the call
 */
export function priceCall(
  rule: PriceRule,
  ratios: Ratios,
  usage: Usage,
  ruleOf: (model: string) => PriceRule = () => rule,
): Charge {
  const own = buildLines(rule, usage);
  if (usage.others === undefined) return charge(own.lines, ratios, own.tier?.above, usage);
  let tierAbove = own.tier?.above;
  // A price per call covers all runs of a model.
  const called = new Set(['']);
  const others = usage.others.flatMap(({ model, tool, usage: share }): PriceLine[] => {
    const otherRule = model === '' ? rule : ruleOf(model);
    const { lines, tier } = buildLines(otherRule, share);
    if (tool === undefined && otherRule.type === 'times' && lines.length > 0) {
      if (called.has(model)) return [];
      called.add(model);
    }
    if (model !== '') return lines.map((line) => ({ ...line, model, version: otherRule.version }));
    if (tier !== undefined) tierAbove = Math.max(tier.above, tierAbove ?? 0);
    return lines;
  });
  return charge(mergeLines([...own.lines, ...others]), ratios, tierAbove, usage);
}

/** Adds up lines that differ only in their quantities. */
function mergeLines(lines: readonly PriceLine[]): PriceLine[] {
  const merged = new Map<string, PriceLine>();
  for (const line of lines) {
    const key = JSON.stringify({ ...line, quantity: 0 });
    merged.set(key, { ...line, quantity: line.quantity + (merged.get(key)?.quantity ?? 0) });
  }
  return [...merged.values()];
}

function buildLines(rule: PriceRule, usage: Usage): { lines: PriceLine[]; tier: Tier | undefined } {
  if (rule.type === 'times') return { lines: buildCallLines(rule, usage), tier: undefined };
  const tier = findTier(rule, countPromptTokens(usage));
  return { lines: [...buildTokenLines(tier?.rates ?? rule.rates, usage), ...buildUnitLines(rule, usage)], tier };
}

/** Returns the charge in points for the given token counts; used for the hold. */
export function priceEstimate(rule: PriceRule, ratios: Ratios, inputTokens: number, outputTokens: number): number {
  const { input, output } = findTier(rule, inputTokens)?.rates ?? rule.rates;
  const lines: PriceLine[] =
    rule.type === 'times'
      ? [{ counter: 'call', quantity: 1, rate: rule.rates.input }]
      : [
          { counter: 'input', quantity: clampCount(inputTokens), rate: input },
          { counter: 'output', quantity: clampCount(outputTokens), rate: output },
        ];
  return Math.min(exactPoints(lines, ratios), CHARGE_MAX);
}

/** Returns the counter whose rate is the highest for a prompt of this size; the first one of several. */
export function findDearestCounter(
  rule: PriceRule,
  prompt: number,
  first: TokenCounterName,
  ...others: readonly TokenCounterName[]
): TokenCounterName {
  const rates = findTier(rule, prompt)?.rates ?? rule.rates;
  return others.reduce(
    (dearest, one) => (resolveTokenRate(rates, one) > resolveTokenRate(rates, dearest) ? one : dearest),
    first,
  );
}

/** Units that are sold in place of tokens. Calls of vendor tools are sold in addition to them. */
const soldUnits = ['image', 'second', 'character', 'search'] as const;

/**
 * Returns the unit of which a choice costs at least one: the cheapest of a price without any rate for tokens, if the call
 * used something and none of the priced units. Otherwise a chat with an image model would be free, although some
 * vendors deliver images through chats.
 */
export function findMinimumUnit(rule: PriceRule, usage: Usage): UnitCounterName | undefined {
  if (rule.type === 'times' || isAnyTokenPriced(rule)) return undefined;
  if (usageCounters.every((counter) => usage[counter] === 0)) return undefined;
  const priced = soldUnits
    .map((unit) => ({ unit, rate: resolveUnitRate(rule, unit, emptyUsage()) ?? 0 }))
    .filter(({ rate }) => rate > 0)
    .toSorted((a, b) => a.rate - b.rate);
  return priced.some(({ unit }) => usage[unit] > 0) ? undefined : priced[0]?.unit;
}

/** Returns whether the price has a rate for tokens of any kind. */
export function isAnyTokenPriced({ rates, tiers }: PriceRule): boolean {
  if (rates.input > 0 || rates.output > 0) return true;
  return [rates, ...tiers.map((tier) => tier.rates)].some((own) =>
    tokenCounters.some((counter) => resolveTokenRate(own, counter) > 0),
  );
}

/**
 * Returns `quantity × rate` of all lines times all ratios that apply to them, rounded up to a whole point; exact up to
 * 2^53.
 */
export function exactPoints(lines: readonly PriceLine[], ratios: Ratios): number {
  return (isWithoutRatio(ratios) ? roundSafeSum(lines) : undefined) ?? roundProduct(lines, ratios);
}

function isWithoutRatio({ group, key, batch = RATIO_ONE }: Ratios): boolean {
  return group === RATIO_ONE && key === RATIO_ONE && batch === RATIO_ONE;
}

/** Returns the points at ratio 1; undefined if the sum may exceed 2^53. Takes a tenth of the time of `bigint`. */
function roundSafeSum(lines: readonly PriceLine[]): number | undefined {
  let nano = 0;
  for (const { quantity, rate } of lines) nano += quantity * rate;
  if (!Number.isSafeInteger(nano)) return undefined;
  const rest = nano % NANO;
  return (nano - rest) / NANO + (rest > 0 ? 1 : 0);
}

function roundProduct(lines: readonly PriceLine[], { group, key, batch = RATIO_ONE }: Ratios): number {
  let sum = 0n;
  for (const { quantity, rate, undiscounted = false } of lines)
    sum += BigInt(quantity) * BigInt(rate) * BigInt(undiscounted ? RATIO_ONE : batch);
  const exact = sum * BigInt(group) * BigInt(key);
  return Number((exact + UNROUNDED - 1n) / UNROUNDED);
}

/**
 * Vendor tools whose calls cost the same in a batch: the discount is one on input and output.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#batch-requests
 * https://openai.com/api/pricing
 */
const undiscountedCounters: ReadonlySet<PriceLine['counter']> = new Set([
  'webSearch',
  'mapsGrounding',
  'codeExecution',
  'fileSearch',
]);

function markUndiscounted(line: PriceLine): PriceLine {
  return undiscountedCounters.has(line.counter) ? { ...line, undiscounted: true } : line;
}

function charge(all: PriceLine[], ratios: Ratios, tierAbove: number | undefined, usage: Usage): Charge {
  const lines = ratios.batch === undefined ? all : all.map(markUndiscounted);
  const points = exactPoints(lines, ratios);
  const capped =
    points > CHARGE_MAX ||
    !usageByModel(usage).every(
      (share) =>
        share.implausible === undefined &&
        usageCounters.every((counter) => share[counter] >= 0 && share[counter] < TOKENS_MAX),
    );
  return { points: Math.min(points, CHARGE_MAX), lines, tierAbove, capped };
}

/** Returns all input tokens, cached or not. */
function countPromptTokens(usage: Usage): number {
  let tokens = 0;
  for (const counter of promptCounters) tokens += clampCount(usage[counter]);
  return tokens;
}

/** Returns the highest tier that begins below the prompt's size; it prices the whole call. */
function findTier({ tiers }: PriceRule, prompt: number): Tier | undefined {
  return tiers.findLast(({ above }) => prompt > above);
}

/** Returns nano-points per token of this kind. */
export function resolveTokenRate(rates: TokenRates, counter: keyof TokenRates): number {
  return rates[counter] ?? resolveTokenRate(rates, parentCounters[counter]);
}

function buildTokenLines(rates: TokenRates, usage: Usage): PriceLine[] {
  const lines: PriceLine[] = [];
  for (const counter of tokenCounters) {
    const quantity = clampCount(usage[counter]);
    if (quantity > 0) lines.push({ counter, quantity, rate: resolveTokenRate(rates, counter) });
  }
  return lines;
}

function buildUnitLines(rule: PriceRule, usage: Usage): PriceLine[] {
  const lines: PriceLine[] = [];
  for (const counter of unitCounters) {
    const quantity = clampCount(usage[counter]);
    if (quantity === 0) continue;
    const variant = hasVariants(counter, usage) ? { variant: usage.imageVariant } : {};
    lines.push({ counter, ...variant, quantity, rate: resolveUnitRate(rule, counter, usage) ?? 0 });
  }
  return lines;
}

/**
 * Returns nano-points per unit: the rate for `1024x1024/hd`, else for `1024x1024`, else the plain rate, else the
 * highest rate of this size, else of all sizes; undefined without any rate. A size or quality that the price does not
 * list is not free, and one that the vendor chooses is not cheaper than what it may have chosen. An image larger than
 * the default size is not cheaper than the next larger listed size: a size one pixel below it would save the difference.
 */
export function resolveUnitRate(rule: PriceRule, counter: UnitCounterName, usage: Usage): number | undefined {
  const { rates, image_rates } = rule;
  const plain = rates[counter] ?? undefined;
  const listed = sizedCounters.has(counter) ? image_rates : {};
  if (!hasVariants(counter, usage)) return plain ?? findHighestRate(listed);
  const { imageVariant } = usage;
  const [size = '', quality = ''] = imageVariant.split('/');
  const synonym = `${size}/${qualitySynonyms[quality] ?? quality}`;
  const named = [imageVariant, synonym, size].find((name) => Object.hasOwn(image_rates, name)) ?? '';
  const unlisted = counter === 'image' && plain !== undefined ? raisePlainRate(rule, plain, size, quality) : plain;
  return image_rates[named] ?? unlisted ?? findHighestRate(listed, `${size}/`) ?? findHighestRate(listed);
}

/** Pixels of the default size of most models that are billed by the image. */
const DEFAULT_PIXELS = 1_024 * 1_024;

/**
 * Returns the plain rate, or for an unlisted size above the default one that of the smallest listed size with at least
 * as many pixels if it is higher; the highest listed rate if all sizes are smaller.
 */
function raisePlainRate(rule: PriceRule, plain: number, size: string, quality: string): number {
  const pixels = countPixels(size);
  if (pixels <= DEFAULT_PIXELS) return plain;
  const listed = Object.keys(rule.image_rates).flatMap((variant) => {
    const [name = ''] = variant.split('/');
    return thousandsPattern.test(name) ? [] : { name, pixels: countPixels(name) };
  });
  if (listed.some(({ name }) => name === size)) return plain;
  const larger = listed.filter((one) => one.pixels >= pixels);
  const least = Math.min(...larger.map((one) => one.pixels));
  const rates = larger
    .filter((one) => one.pixels === least)
    .map(({ name }) => {
      const imageVariant = quality === '' ? name : `${name}/${quality}`;
      return resolveUnitRate(rule, 'image', { ...emptyUsage(), imageVariant }) ?? 0;
    });
  const isBeyond = larger.length === 0 && listed.some((one) => one.pixels > 0);
  return Math.max(plain, ...rates, isBeyond ? (findHighestRate(rule.image_rates) ?? 0) : 0);
}

const sizePattern = /^(\d{2,5})x(\d{2,5})$/;
/** Vendors' names of sizes. A price lists each of them, or charges them alike: they are no steps between other sizes. */
const thousandsPattern = /^(\d)k$/i;

/** Returns the pixels of a size such as `1024x1024` or `2K`; 0 for another name. */
function countPixels(size: string): number {
  const [, thousands] = thousandsPattern.exec(size) ?? [];
  const [, width = Number(thousands ?? 0) * 1_024, height = width] = sizePattern.exec(size) ?? [];
  return Number(width) * Number(height);
}

/** Returns the dearest of an image's variants, or the given one if none is dearer. */
export function findDearestVariant(rule: PriceRule, given: string, variants: readonly string[] = []): string {
  const rateOf = (imageVariant: string): number =>
    resolveUnitRate(rule, 'image', { ...emptyUsage(), imageVariant }) ?? 0;
  return variants.reduce((dearest, one) => (rateOf(one) > rateOf(dearest) ? one : dearest), given);
}

/** Qualities by OpenAI's older and newer words; vendors that know both treat them alike. */
const qualitySynonyms: Readonly<Record<string, string>> = {
  standard: 'medium',
  medium: 'standard',
  hd: 'high',
  high: 'hd',
};

/** Units whose rates `image_rates` lists by size. */
const sizedCounters: ReadonlySet<UnitCounterName> = new Set(['image', 'second']);

/** Returns the highest rate of the variants that begin like this; undefined without such rates. */
function findHighestRate(rates: PriceRule['image_rates'], start = ''): number | undefined {
  return Object.entries(rates)
    .filter(([variant]) => variant.startsWith(start))
    .reduce<number | undefined>((most, [, rate]) => Math.max(most ?? 0, rate), undefined);
}

/** Returns whether the price has a rate for an image of any size. */
export function hasImageRate({ rates, image_rates }: PriceRule): boolean {
  return rates.image !== null || Object.keys(image_rates).length > 0;
}

/** Returns whether the unit has variants: seconds of video have a size, seconds of audio have none. */
function hasVariants(counter: UnitCounterName, { imageVariant }: Usage): boolean {
  return counter === 'image' || (counter === 'second' && imageVariant !== '');
}

/** Returns no lines for a call that delivered and counted nothing. */
function buildCallLines({ rates }: PriceRule, usage: Usage): PriceLine[] {
  const delivered = usageCounters.some((counter) => usage[counter] > 0);
  return delivered ? [{ counter: 'call', quantity: 1, rate: rates.input }] : [];
}

/**
 * Returns a whole number from 0 to the plausible maximum. Usage readers guarantee it, but a balance must not depend
 * on that.
 */
function clampCount(count: number): number {
  return count > 0 ? Math.ceil(Math.min(count, TOKENS_MAX)) : 0;
}
