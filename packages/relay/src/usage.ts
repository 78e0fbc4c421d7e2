/**
 * What one answer consumed, in tokens. The counters are disjoint: a cached token is not also an input
 * token, a reasoning token is not also an output token. Each format's decoder subtracts what its vendor
 * reports as overlapping.
 */
export interface Usage {
  input: number;
  cachedRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
  audioInput: number;
  audioOutput: number;
  imageInput: number;
  imageOutput: number;
}

export type UsageCounter = keyof Usage;

export const usageCounters: readonly UsageCounter[] = [
  'input',
  'cachedRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'output',
  'reasoning',
  'audioInput',
  'audioOutput',
  'imageInput',
  'imageOutput',
];

export function emptyUsage(): Usage {
  return {
    input: 0,
    cachedRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: 0,
    reasoning: 0,
    audioInput: 0,
    audioOutput: 0,
    imageInput: 0,
    imageOutput: 0,
  };
}

/** Above this no vendor's context window reaches; a larger report is a mistake or an attack. */
const TOKENS_MAX = 100_000_000;

/** A counter as an upstream sent it, made safe: whole, not negative, not absurd. Anything else counts 0. */
export function tokenCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.round(value), TOKENS_MAX);
}
