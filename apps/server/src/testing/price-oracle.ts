/** Calculates the price of a call independently, with fractions, and compares it with the engine's. */
import { rates as ratesSchema, type Tier } from '@switchyard/contract/catalog/price-rates';
import { emptyUsage, TOKENS_MAX, type Usage, type UsageCounterName, usageCounters } from '@switchyard/relay/usage';
import * as fc from 'fast-check';
import type { PriceRule, priceCall, priceEstimate, Ratios } from '../ledger/price-call.ts';

/** Engine under test: the real one, or a mutant of it. */
export interface PriceEngine {
  priceCall: typeof priceCall;
  priceEstimate: typeof priceEstimate;
}

export interface PricedCase {
  rule: PriceRule;
  /** Prices of the other models that ran within the call, by name. */
  otherRules: Readonly<Record<string, PriceRule>>;
  ratios: Ratios;
  usage: Usage;
}

const inputs = ['input', 'cachedRead', 'cacheWrite5m', 'cacheWrite1h', 'audioInput', 'imageInput'] as const;
const cachedMedia = ['cachedAudioInput', 'cachedImageInput'] as const;
const outputs = ['output', 'reasoning', 'audioOutput', 'imageOutput'] as const;
const units = ['webSearch', 'mapsGrounding', 'codeExecution', 'fileSearch', 'search', 'second', 'character'] as const;
const vendorTools: ReadonlySet<UsageCounterName> = new Set([
  'webSearch',
  'mapsGrounding',
  'codeExecution',
  'fileSearch',
]);
const variants = ['1024x1024', '1024x1024/high', '512x512', '512x512/low', '512x512/standard', 'constructor', ''];
const largeVariants = ['1025x1024', '1536x1024/medium', '2048x1536/hd', '2048x2049', '2K', '4K/high'];
const listedVariants = ['1024x1024', '1024x1024/hd', '512x512/hd', '512x512/high', '512x512/medium'];
const largeListedVariants = ['1536x1024', '1024x1536/high', '2048x2048', '2048x2048/standard'];
const sameQuality = ['/hd', '/high', '/standard', '/medium'];
/** Two million USD, defined independently of the engine. */
const MAX_POINTS = 10n ** 12n;

function toBigint(count: number): bigint {
  if (Number.isNaN(count) || count < 0) return 0n;
  return count >= 1e8 ? 100_000_000n : BigInt(Math.ceil(count));
}

function divideRoundingUp(numerator: bigint, denominator: bigint): bigint {
  return numerator / denominator + (numerator % denominator === 0n ? 0n : 1n);
}

/** Returns points. The batch ratio does not apply to calls of vendor tools. */
function applyRatios({ nano, tools }: NanoPoints, { group, key, batch = 1_000_000 }: Ratios): bigint {
  const discounted = (nano - tools) * BigInt(batch) + tools * 1_000_000n;
  return divideRoundingUp(discounted * BigInt(group) * BigInt(key), 10n ** 27n);
}

function findTier(tiers: readonly Tier[], prompt: bigint): Tier | undefined {
  let best: Tier | undefined;
  for (const tier of tiers) if (prompt > BigInt(tier.above) && tier.above > (best?.above ?? 0)) best = tier;
  return best;
}

function sizedRate(price: PriceRule, of: 'image' | 'second', variant: string): number {
  const { rates, image_rates } = price;
  const known = new Map(Object.entries(image_rates));
  const size = variant.replace(/\/.*$/, '');
  const at = sameQuality.findIndex((end) => variant.endsWith(end));
  // The pairs stand side by side.
  const synonym = at < 0 ? undefined : known.get(size + sameQuality[at % 2 === 0 ? at + 1 : at - 1]);
  const listed = known.get(variant) ?? synonym ?? known.get(size);
  if (listed !== undefined) return listed;
  if (rates[of] != null) return of === 'image' ? Math.max(rates[of], largerRate(price, variant)) : rates[of];
  const ofSize = [...known].filter(([name]) => variant !== '' && name.startsWith(`${size}/`));
  return Math.max(0, ...(ofSize.length > 0 ? ofSize : [...known]).map(([, rate]) => rate));
}

function areaOf(size: string): number {
  const kilo = /^\dK$/.test(size) ? Number(size[0]) * 1_024 : 0;
  const [width, height] = size.includes('x') ? size.split('x').map(Number) : [kilo, kilo];
  return (width ?? 0) * (height ?? 0) || 0;
}

/** Returns the rate below which an unlisted size above 1024x1024 does not cost; 0 without one. */
function largerRate(price: PriceRule, variant: string): number {
  const [size = '', ...quality] = variant.split('/');
  const sizes = [...new Set(Object.keys(price.image_rates).map((name) => name.replace(/\/.*$/, '')))];
  if (areaOf(size) <= 1_048_576 || sizes.includes(size) || sizes.length === 0) return 0;
  const steps = sizes.filter((one) => areaOf(one) >= areaOf(size)).toSorted((a, b) => areaOf(a) - areaOf(b));
  const same = steps.filter((one) => areaOf(one) === areaOf(steps[0] ?? ''));
  if (same.length === 0) return Math.max(...Object.values(price.image_rates));
  return Math.max(...same.map((one) => sizedRate(price, 'image', [one, ...quality].join('/'))));
}

function unitRate(rule: PriceRule, counter: (typeof units)[number], variant: string): number {
  return counter === 'second' ? sizedRate(rule, counter, variant) : (rule.rates[counter] ?? 0);
}

/** Nano-points of a call, and the part that calls of vendor tools cost. */
interface NanoPoints {
  nano: bigint;
  tools: bigint;
}

/** Returns nano-points before the ratios, and the tier that applied. */
function computeNanoPoints(rule: PriceRule, usage: Usage): NanoPoints & { above: number | undefined } {
  const used = (counter: UsageCounterName): bigint => toBigint(usage[counter]);
  if (rule.type === 'times') {
    const anything = usageCounters.some((counter) => used(counter) > 0n);
    return { nano: anything ? BigInt(rule.rates.input) : 0n, tools: 0n, above: undefined };
  }
  const tier = findTier(
    rule.tiers,
    [...inputs, ...cachedMedia].reduce((sum, counter) => sum + used(counter), 0n),
  );
  const rates = tier?.rates ?? rule.rates;
  let nano = used('image') * BigInt(sizedRate(rule, 'image', usage.imageVariant));
  for (const counter of inputs) nano += used(counter) * BigInt(rates[counter] ?? rates.input);
  for (const counter of cachedMedia) nano += used(counter) * BigInt(rates[counter] ?? rates.cachedRead ?? rates.input);
  for (const counter of outputs) nano += used(counter) * BigInt(rates[counter] ?? rates.output);
  let tools = 0n;
  for (const counter of units) {
    const cost = used(counter) * BigInt(unitRate(rule, counter, usage.imageVariant));
    nano += cost;
    if (vendorTools.has(counter)) tools += cost;
  }
  return { nano, tools, above: tier?.above };
}

const rate = fc.oneof(
  fc.integer({ min: 0, max: 1_000_000_000_000 }),
  fc.constantFrom(0, 1, 1_000_000_000, 5_000_000_000_000_000),
);
const count = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(-1, 0.5, TOKENS_MAX - 1, TOKENS_MAX, 1e308, Number.NaN, Number.POSITIVE_INFINITY),
  },
);
const ratio = fc.oneof(fc.constant(1_000_000), fc.integer({ min: 0, max: 1_000_000_000 }));
const own = (counters: readonly UsageCounterName[]) =>
  fc.record(Object.fromEntries(counters.map((counter) => [counter, fc.option(rate)])));
const allRates = fc
  .tuple(own([...inputs, ...cachedMedia, ...outputs, ...units, 'image']), rate, rate)
  .map(([rates, input, output]) => ratesSchema.parse({ ...rates, input, output }));
const tiers = fc
  .uniqueArray(fc.record({ above: fc.integer({ min: 1, max: 6_000 }), rates: allRates }), {
    maxLength: 3,
    selector: ({ above }) => above,
  })
  .map((list) => list.toSorted((a, b) => a.above - b.above));

const otherNames = ['other', 'painter'] as const;
const ruleOf = (model: string, version: number): fc.Arbitrary<PriceRule> =>
  fc.record({
    model: fc.constant(model),
    version: fc.constant(version),
    type: fc.constantFrom<PriceRule['type']>('tokens', 'tokens', 'tokens', 'times'),
    rates: allRates,
    image_rates: fc.dictionary(fc.constantFrom(...listedVariants, ...largeListedVariants), rate),
    tiers,
  });
const share: fc.Arbitrary<Usage> = fc
  .tuple(
    fc.record(Object.fromEntries(usageCounters.map((counter) => [counter, count]))),
    fc.constantFrom(...variants, ...largeVariants),
    fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.constant({ implausible: ['output'] as const })),
  )
  .map(([counts, imageVariant, doubts]) => ({ ...emptyUsage(), ...counts, imageVariant, ...doubts }));
/** Runs of other models, and further runs of the own model, which have no name. */
const shareNames = fc.subarray([...otherNames, 'other', '', '']);
const usages = fc
  .tuple(share, shareNames, share, share, share, share, share)
  .map(([usage, names, ...shares]): Usage => {
    const others = names.map((model, nth) => {
      // All runs of a model have one variant.
      const { imageVariant } = (model === '' ? undefined : shares[names.indexOf(model)]) ?? usage;
      return { model, usage: { ...(shares[nth] ?? emptyUsage()), imageVariant } };
    });
    return others.length === 0 ? usage : { ...usage, others };
  });

export const pricedCases: fc.Arbitrary<PricedCase> = fc.record({
  rule: ruleOf('m', 1),
  otherRules: fc.record({ other: ruleOf('other', 2), painter: ruleOf('painter', 3) }),
  ratios: fc.record({ group: ratio, key: ratio, batch: ratio }, { requiredKeys: ['group', 'key'] }),
  usage: usages,
});

function assertEqual(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${what}: ${String(found)} instead of ${String(expected)}`);
}

/** @throws Error if the engine and this calculation differ */
export function compareCharge(engine: PriceEngine, { rule, otherRules, ratios, usage }: PricedCase): void {
  const own = computeNanoPoints(rule, usage);
  const { others = [] } = usage;
  const priced = (model: string): PriceRule => otherRules[model] ?? rule;
  // A price per call covers all runs of a model.
  const isUsed = (run: Usage): boolean => usageCounters.some((counter) => toBigint(run[counter]) > 0n);
  const firstUsed = (name: string): number => others.findIndex((run) => run.model === name && isUsed(run.usage));
  const billed = others.filter(
    ({ model }, nth) => priced(model).type !== 'times' || (model !== '' && firstUsed(model) === nth),
  );
  const parts = [own, ...billed.map((other) => computeNanoPoints(priced(other.model), other.usage))];
  const runs = [own, ...parts.slice(1).filter((_, nth) => billed[nth]?.model === '')];
  const above = runs.reduce<number | undefined>(
    (most, run) => ((run.above ?? 0) > (most ?? 0) ? run.above : most),
    undefined,
  );
  const nano = parts.reduce((sum, part) => sum + part.nano, 0n);
  const tools = parts.reduce((sum, part) => sum + part.tools, 0n);
  const exact = applyRatios({ nano, tools }, ratios);
  const { points, lines, tierAbove, capped } = engine.priceCall(rule, ratios, usage, priced);
  assertEqual('charge', points, Number(exact < MAX_POINTS ? exact : MAX_POINTS));
  assertEqual(
    'lines',
    lines.reduce((sum, line) => sum + BigInt(line.quantity) * BigInt(line.rate), 0n),
    nano,
  );
  assertEqual('tier', tierAbove, above);
  const shares = [usage, ...others.map((other) => other.usage)];
  const doubtful = shares.some(
    (share) =>
      share.implausible !== undefined ||
      usageCounters.some((counter) => !(share[counter] >= 0 && share[counter] < TOKENS_MAX)),
  );
  assertEqual('capped', capped, doubtful || exact > MAX_POINTS);
  for (const { counter, quantity, variant, model, version } of lines) {
    const { imageVariant } = others.find((other) => other.model === model)?.usage ?? usage;
    assertEqual(`quantity of ${counter}`, quantity > 0, true);
    const isSized = counter === 'image' || (counter === 'second' && imageVariant !== '');
    assertEqual(`variant of ${counter}`, variant, isSized ? imageVariant : undefined);
    assertEqual(`version of ${model}`, version, model === undefined ? undefined : priced(model).version);
  }
}

/** @throws Error if the estimate of plain tokens differs from their charge */
export function compareEstimate(engine: PriceEngine, { rule, ratios, usage }: PricedCase): void {
  const plain = { ...emptyUsage(), input: usage.input, output: usage.output };
  const exact = applyRatios(computeNanoPoints(rule, rule.type === 'times' ? { ...plain, input: 1 } : plain), ratios);
  const estimate = engine.priceEstimate(rule, ratios, usage.input, usage.output);
  assertEqual('estimate', estimate, Number(exact < MAX_POINTS ? exact : MAX_POINTS));
}
