/** Finds counters of a call without a rate, which were charged nothing, or as text. */
import {
  type TokenCounterName,
  type UnitCounterName,
  type Usage,
  unitCounters,
  usageByModel,
} from '@switchyard/relay/usage';
import { type PriceRule, resolveTokenRate, resolveUnitRate } from './price-call.ts';

export interface UnratedCounter {
  /** Entry of the price list. */
  model: string;
  /** Stored version of that entry. */
  version: number;
  counter: UnratedCounterName;
}

/** A unit, tokens of audio or images, or the tokens of a call that the price sells by a unit which it does not report. */
type UnratedCounterName = UnitCounterName | MediaOutput | 'input' | 'output';

/** Output for which vendors charge many times the price of text. */
const mediaOutputs = ['audioOutput', 'imageOutput'] as const;
type MediaOutput = (typeof mediaOutputs)[number];

/** Returns whether the response has output that a price of text alone would charge too little for. */
export function hasMediaOutput(usage: Usage): boolean {
  return usageByModel(usage).some((share) => mediaOutputs.some((counter) => share[counter] > 0));
}

/** Token counters that pay for the same work as a unit, if they have a price. */
const tokensInstead: Partial<Record<UnitCounterName, readonly TokenCounterName[]>> = {
  search: ['input'],
  image: ['imageOutput', 'output'],
  second: ['audioInput', 'cachedAudioInput', 'audioOutput'],
  character: ['audioOutput', 'output'],
};

/**
 * Returns the counters without a rate and without paid tokens in their place. A rate of 0 is a rate, and a price per
 * call covers everything.
 */
export function findUnratedCounters(
  rule: PriceRule,
  usage: Usage,
  ruleOf: (model: string) => PriceRule,
): UnratedCounter[] {
  const others = usage.others?.flatMap(({ model, usage: share }) => findUnrated(ruleOf(model), share)) ?? [];
  return [...findUnrated(rule, usage), ...others];
}

function findUnrated(rule: PriceRule, usage: Usage): UnratedCounter[] {
  // The built-in price cannot be given a rate; models without a price are listed as such.
  if (rule.type === 'times' || rule.version === 0) return [];
  const units = unitCounters
    .filter((counter) => usage[counter] > 0 && resolveUnitRate(rule, counter, usage) === undefined)
    .filter((counter) => !isPaidByTokens(rule, usage, counter));
  return [...units, ...findMediaAtTextRate(rule, usage)].map((counter) => ({
    model: rule.model,
    version: rule.version,
    counter,
  }));
}

/**
 * Returns the output that was charged at the rate of text. If a response has no text, the rate of output is that of its
 * audio or images, as for a speech model.
 */
function findMediaAtTextRate({ rates }: PriceRule, usage: Usage): MediaOutput[] {
  if (usage.output === 0 || rates.output === 0) return [];
  return mediaOutputs.filter((counter) => usage[counter] > 0 && rates[counter] === null);
}

function isPaidByTokens({ rates }: PriceRule, usage: Usage, counter: UnitCounterName): boolean {
  const hasSize = counter === 'second' && usage.imageVariant !== '';
  const tokens = hasSize ? (['output', 'imageOutput'] as const) : (tokensInstead[counter] ?? []);
  return tokens.some((name) => usage[name] > 0 && resolveTokenRate(rates, name) > 0);
}
