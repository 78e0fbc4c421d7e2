/**
 * What a call costs. Rates are whole nano-points, counters whole tokens, the group's ratio whole millionths; the
 * products are exact and are rounded once, up, to a whole point. A call with any price costs at least 1 point.
 */
import type { Rates } from '@switchyard/contract/prices';
import { type Usage, type UsageCounter, usageCounters } from '@switchyard/relay';

export interface PriceRule {
  /** Entry of the price list that applied. */
  model: string;
  type: 'tokens' | 'times';
  rates: Rates;
}

export interface PriceLine {
  counter: UsageCounter | 'call';
  quantity: number;
  /** Nano-points. */
  rate: number;
}

export interface Charge {
  points: number;
  lines: PriceLine[];
}

const NANO = 1_000_000_000n;
const MICRO = 1_000_000n;

/** Counters whose own rate is missing are charged like the input or output that they are a part of. */
const fallback: Readonly<Record<UsageCounter, 'input' | 'output'>> = {
  input: 'input',
  cachedRead: 'input',
  cacheWrite5m: 'input',
  cacheWrite1h: 'input',
  audioInput: 'input',
  imageInput: 'input',
  output: 'output',
  reasoning: 'output',
  audioOutput: 'output',
  imageOutput: 'output',
};

/** The charge for a finished call; `usage` counters are disjoint. */
export function priceCall(rule: PriceRule, ratioMicros: number, usage: Usage): Charge {
  const lines = rule.type === 'times' ? callLines(rule, usage) : tokenLines(rule, usage);
  return { points: roundUp(lines, ratioMicros), lines };
}

/** The charge if the call used this many tokens; for the hold, before anything is known. */
export function priceEstimate(
  rule: PriceRule,
  ratioMicros: number,
  inputTokens: number,
  outputTokens: number,
): number {
  const lines: PriceLine[] =
    rule.type === 'times'
      ? [{ counter: 'call', quantity: 1, rate: rule.rates.input }]
      : [
          { counter: 'input', quantity: inputTokens, rate: rule.rates.input },
          { counter: 'output', quantity: outputTokens, rate: rule.rates.output },
        ];
  return roundUp(lines, ratioMicros);
}

function tokenLines(rule: PriceRule, usage: Usage): PriceLine[] {
  const lines: PriceLine[] = [];
  for (const counter of usageCounters) {
    const quantity = usage[counter];
    if (quantity > 0)
      lines.push({ counter, quantity, rate: rule.rates[counter] ?? rule.rates[fallback[counter]] });
  }
  return lines;
}

/** A call that delivered nothing and counted nothing is free. */
function callLines(rule: PriceRule, usage: Usage): PriceLine[] {
  const delivered = usageCounters.some((counter) => usage[counter] > 0);
  return delivered ? [{ counter: 'call', quantity: 1, rate: rule.rates.input }] : [];
}

/** @throws RangeError when the charge is beyond what a balance can hold */
function roundUp(lines: readonly PriceLine[], ratioMicros: number): number {
  let nano = 0n;
  for (const line of lines) nano += BigInt(line.quantity) * BigInt(line.rate);
  const unit = NANO * MICRO;
  const points = (nano * BigInt(ratioMicros) + unit - 1n) / unit;
  const charge = Number(points);
  if (!Number.isSafeInteger(charge)) throw new RangeError('A charge is beyond what a balance can hold');
  return charge;
}
