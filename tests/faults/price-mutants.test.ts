/** Checks that the price tests detect mistakes: each mutation changes the price's source in one place. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { compileFunction } from 'node:vm';
import * as usage from '@switchyard/relay/usage';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareCharge,
  compareEstimate,
  type PriceEngine,
  pricedCases,
} from '../../apps/server/src/testing/price-oracle.ts';
import { reportMeasurement } from '../tier.ts';

const source = readFileSync(new URL('../../apps/server/src/ledger/price-call.ts', import.meta.url), 'utf8');
const CASES = 1_500;
const SCORE_MIN = 0.9;

/** Text that occurs in the source once → its replacement. */
const mutations: readonly (readonly [string, string])[] = [
  ["rule.type === 'times') return {", "rule.type !== 'times') return {"],
  ['usage.others === undefined', 'usage.others !== undefined'],
  ['ruleOf(model);', 'rule;'],
  ['buildLines(otherRule, share)', 'buildLines(otherRule, usage)'],
  ['...own.lines, ...others', '...own.lines'],
  ['...own.lines, ...others', '...others'],
  ['version: otherRule.version', 'version: rule.version'],
  ['...line, model,', '...line,'],
  ['!usageByModel(usage).every', '!usageByModel(usage).some'],
  ['usageByModel(usage)', '[usage]'],
  ['tier?.rates ?? rule.rates, usage', 'rule.rates, usage'],
  ['...buildUnitLines(rule, usage)', ''],
  ['...others]), ratios, tierAbove', '...others]), ratios, undefined'],
  ['let tierAbove = own.tier?.above', 'let tierAbove'],
  ['Math.max(tier.above, tierAbove ?? 0)', 'tier.above'],
  ["model === '' ? rule : ruleOf", 'ruleOf'],
  ['merged.get(key)?.quantity ?? 0', '0'],
  ['own.lines, ratios, own.tier?.above', 'own.lines, ratios, undefined'],
  ['findTier(rule, countPromptTokens(usage))', 'findTier(rule, usage.input)'],
  ['findTier(rule, countPromptTokens(usage))', 'rule.tiers[0]'],
  ['findTier(rule, inputTokens)?.rates ?? rule.rates', 'rule.rates'],
  ['findTier(rule, inputTokens)', 'findTier(rule, inputTokens + outputTokens)'],
  ["rule.type === 'times'\n", "rule.type !== 'times'\n"],
  ['if (called.has(model)) return [];', ''],
  ["otherRule.type === 'times'", 'true'],
  ['quantity: clampCount(inputTokens), rate: input', 'quantity: clampCount(inputTokens), rate: output'],
  ['quantity: clampCount(outputTokens), rate: output', 'quantity: clampCount(outputTokens), rate: input'],
  ['quantity: clampCount(inputTokens)', 'quantity: inputTokens'],
  ['Math.min(exactPoints(lines, ratios), CHARGE_MAX)', 'exactPoints(lines, ratios)'],
  ['BigInt(quantity) * BigInt(rate)', 'BigInt(quantity) + BigInt(rate)'],
  ['sum += BigInt', 'sum = BigInt'],
  ['sum += BigInt', 'sum -= BigInt'],
  [' * BigInt(group)', ''],
  [' * BigInt(key)', ''],
  ['undiscounted ? RATIO_ONE : batch', 'RATIO_ONE'],
  ['undiscounted ? RATIO_ONE : batch', 'batch'],
  ['undiscounted ? RATIO_ONE : batch', 'undiscounted ? batch : RATIO_ONE'],
  ["  'webSearch',\n", ''],
  ["  'mapsGrounding',\n", ''],
  ["  'codeExecution',\n", ''],
  ["  'fileSearch',\n", "  'fileSearch',\n  'search',\n"],
  ['ratios.batch === undefined ? all', 'ratios.batch !== undefined ? all'],
  [' + UNROUNDED - 1n', ''],
  ['+ UNROUNDED - 1n', '+ UNROUNDED'],
  ['+ UNROUNDED - 1n', '+ UNROUNDED / 2n'],
  ['1_000_000n * 1_000_000n;', '1_000_000n;'],
  ['points > CHARGE_MAX ||', ''],
  ['points > CHARGE_MAX', 'points < CHARGE_MAX'],
  ['share[counter] >= 0 &&', ''],
  ['share.implausible === undefined &&', ''],
  ['share[counter] < TOKENS_MAX', 'share[counter] <= TOKENS_MAX'],
  ['points: Math.min(points, CHARGE_MAX)', 'points'],
  ['points: Math.min(points, CHARGE_MAX)', 'points: Math.max(points, CHARGE_MAX)'],
  ['of promptCounters)', 'of promptCounters.slice(0, -1))'],
  ['of promptCounters)', 'of tokenCounters)'],
  ['tokens += clampCount', 'tokens = clampCount'],
  ['tiers.findLast', 'tiers.find'],
  ['prompt > above', 'prompt >= above'],
  ['prompt > above', 'prompt < above'],
  ['of tokenCounters) {', 'of tokenCounters.slice(1)) {'],
  ['rates[counter] ?? resolveTokenRate(rates, parentCounters[counter])', 'rates[parentCounters[counter]] ?? 0'],
  ['rates[counter] ?? resolveTokenRate(rates, parentCounters[counter])', 'rates[counter] ?? 0'],
  ['rates[counter] ?? resolveTokenRate(rates, parentCounters[counter])', 'rates[counter] ?? rates.output'],
  ['rates[counter] ?? resolve', 'rates[counter] || resolve'],
  ['resolveTokenRate(rates, parentCounters[counter])', 'rates[parentCounters[counter]] ?? 0'],
  ['resolveTokenRate(rates, parentCounters[counter])', 'rates[parentCounters[counter]] ?? rates.output'],
  ["reasoning: 'output'", "reasoning: 'input'"],
  ["cachedRead: 'input'", "cachedRead: 'output'"],
  ["cachedAudioInput: 'cachedRead'", "cachedAudioInput: 'audioInput'"],
  ["cachedAudioInput: 'cachedRead'", "cachedAudioInput: 'input'"],
  ["cachedImageInput: 'cachedRead'", "cachedImageInput: 'imageInput'"],
  ["cachedImageInput: 'cachedRead'", "cachedImageInput: 'cachedAudioInput'"],
  ["imageInput: 'input'", "imageInput: 'output'"],
  ["audioOutput: 'output'", "audioOutput: 'input'"],
  ['if (quantity > 0) lines', 'lines'],
  ['if (quantity === 0) continue;', ''],
  ["counter === 'image' ||", "counter === 'search' ||"],
  [' variant: usage.imageVariant ', " variant: '' "],
  ["imageVariant !== ''", "imageVariant === ''"],
  ['rates[counter] ?? undefined', 'rates[counter] || undefined'],
  ['sizedCounters.has(counter) ? image_rates : {}', 'image_rates'],
  ['sizedCounters.has(counter) ? image_rates : {}', '{}'],
  ['return plain ?? findHighestRate(listed)', 'return plain'],
  ['?? findHighestRate(listed, `${size}/`)', ''],
  ['`${size}/`', '`${imageVariant}/`'],
  ['.filter(([variant]) => variant.startsWith(start))', ''],
  ['Math.max(most ?? 0, rate)', 'Math.min(most ?? rate, rate)'],
  ['resolveUnitRate(rule, counter, usage) ?? 0', 'resolveUnitRate(rule, counter, usage) ?? 1'],
  ["imageVariant.split('/')", "imageVariant.split('x')"],
  ['[imageVariant, synonym, size].find', '[synonym, size, imageVariant].find'],
  ['[imageVariant, synonym, size].find', '[imageVariant, size].find'],
  ["hd: 'high'", "hd: 'medium'"],
  ["standard: 'medium'", "standard: 'high'"],
  ['Object.hasOwn(image_rates, name)', 'name in image_rates'],
  ['image_rates[named] ?? unlisted', 'unlisted'],
  ['image_rates[named] ?? unlisted', 'image_rates[named]'],
  ['image_rates[named] ?? unlisted', '(image_rates[named] || unlisted)'],
  ['if (pixels <= DEFAULT_PIXELS) return plain;', ''],
  ['if (listed.some(({ name }) => name === size)) return plain;', ''],
  ['one.pixels >= pixels', 'one.pixels > pixels'],
  ['one.pixels === least', 'one.pixels >= least'],
  ['Math.max(plain, ...rates', 'Math.min(plain, ...rates'],
  ['larger.length === 0 && ', ''],
  ['usage[counter] > 0', 'usage[counter] >= 0'],
  ['usageCounters.some', 'usageCounters.every'],
  [
    "delivered ? [{ counter: 'call', quantity: 1, rate: rates.input }] : []",
    "[{ counter: 'call', quantity: 1, rate: rates.input }]",
  ],
  ['quantity: 1, rate: rates.input', 'quantity: 2, rate: rates.input'],
  ['quantity: 1, rate: rates.input', 'quantity: 1, rate: rates.output'],
  ['Math.ceil(Math.min(count, TOKENS_MAX))', 'Math.floor(Math.min(count, TOKENS_MAX))'],
  ['Math.ceil(Math.min(count, TOKENS_MAX))', 'Math.ceil(count)'],
  ['Math.ceil(Math.min(count, TOKENS_MAX))', 'Math.ceil(Math.max(count, TOKENS_MAX))'],
  ['count > 0 ?', 'count > 1 ?'],
];

/** Returns the module's functions, compiled from its text. */
function load(text: string): PriceEngine {
  const body = stripTypeScriptTypes(text)
    .replace(
      /^import[\s\S]*?from '@switchyard\/relay\/usage';$/m,
      `const { ${Object.keys(usage).join(', ')} } = usage;`,
    )
    .replaceAll(/^export /gm, '');
  return compileFunction(`${body}\nreturn { priceCall, priceEstimate };`, ['usage'])(usage) as PriceEngine;
}

function passes(engine: PriceEngine): boolean {
  const { failed } = fc.check(
    fc.property(pricedCases, (priced) => {
      compareCharge(engine, priced);
      compareEstimate(engine, priced);
    }),
    { numRuns: CASES, seed: 6, endOnFailure: true },
  );
  return !failed;
}

test('the unchanged price passes, so that a failure is due to the mutation', () => {
  expect(passes(load(source))).toBe(true);
});

test('at least nine of ten mutations of the price are detected', () => {
  const unnoticed = mutations.filter(([text, mistake]) => {
    expect(source.split(text).length, `"${text}" stands in the source once`).toBe(2);
    return passes(load(source.replace(text, () => mistake)));
  });
  const noticed = mutations.length - unnoticed.length;
  reportMeasurement('P6', `${noticed} of ${mutations.length} mistakes in the price noticed by its tests`);
  expect(noticed / mutations.length, JSON.stringify(unnoticed)).toBeGreaterThanOrEqual(SCORE_MIN);
});
