/**
 * Usage of one response. The token counters are disjoint: a cached token is not also an input token, a reasoning token
 * is not also an output token. Each format's decoder subtracts what its vendor reports as overlapping. The unit
 * counters stand beside the tokens: a search, an image, a second of audio.
 */
export const tokenCounters = [
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
] as const;

export const unitCounters = [
  'webSearch',
  'mapsGrounding',
  'codeExecution',
  'fileSearch',
  'search',
  'image',
  'second',
  'character',
] as const;

export type TokenCounterName = (typeof tokenCounters)[number];
export type UnitCounterName = (typeof unitCounters)[number];
export type UsageCounterName = TokenCounterName | UnitCounterName;

export const usageCounters: readonly UsageCounterName[] = [...tokenCounters, ...unitCounters];

export const promptCounters = [
  'input',
  'cachedRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
] as const satisfies readonly TokenCounterName[];

export interface Usage extends Record<UsageCounterName, number> {
  /** Size and quality of the counted images, for instance `1024x1024/hd`; empty when unknown. */
  imageVariant: string;
  /** Counters of other models that ran within the answer, and that are in no counter above; absent where none did. */
  others?: readonly ModelUsage[];
  /** Tokens of these counters that one number of the report has and the others contradict; absent where none do. */
  disputed?: DisputedTokens;
  /** Counters whose report, or whose source in the request, was not believed; absent where all were. */
  implausible?: readonly UsageCounterName[];
}

export type DisputedTokens = Readonly<Partial<Record<TokenCounterName, number>>>;

/** The share of one model in an answer that several models produced. */
export interface ModelUsage {
  /** Name at the vendor; empty where the vendor doesn't report it. */
  model: string;
  /** The vendor's tool that ran the model; absent for a model that took part in the conversation. */
  tool?: 'image_generation';
  usage: Usage;
}

/** Returns the counters of the answer's own model and those of each other model. */
export function usageByModel(usage: Usage): readonly Usage[] {
  return usage.others === undefined ? [usage] : [usage, ...usage.others.map((other) => other.usage)];
}

/**
 * Returns the counters of all models that took part in the conversation, as one: what a client is told. A tool's model is
 * reported beside them.
 */
export function conversationUsage(usage: Usage): Usage {
  const { others = [], ...own } = usage;
  const taking = others.filter(({ tool }) => tool === undefined);
  if (taking.length === 0) return usage;
  const sum: Usage = { ...own };
  for (const counter of tokenCounters)
    sum[counter] = toTokenCount(taking.reduce((total, other) => total + other.usage[counter], own[counter]));
  return sum;
}

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
    webSearch: 0,
    mapsGrounding: 0,
    codeExecution: 0,
    fileSearch: 0,
    search: 0,
    image: 0,
    second: 0,
    character: 0,
    imageVariant: '',
  };
}

/** Input of the answer's own model: what a vendor's context-length tiers look at. */
export function promptTokens(usage: Usage): number {
  return promptCounters.reduce((tokens, counter) => tokens + usage[counter], 0);
}

/** Output of the answer's own model. */
export function outputTokens(usage: Usage): number {
  return usage.output + usage.reasoning + usage.audioOutput + usage.imageOutput;
}

/**
 * Returns the most that two reports of one answer bill: the larger prompt, the larger output (the later of two equal ones)
 * and the larger count of each unit. Some vendors end a stream with an empty report after the true one, or report the prompt
 * first and the output last. The parts of one prompt stay together, because a later report may split it in another way.
 */
export function mergeReports(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later;
  const most = outputTokens(earlier) > outputTokens(later) ? { ...earlier } : { ...later };
  const asked = promptTokens(earlier) > promptTokens(later) ? earlier : later;
  for (const counter of promptCounters) most[counter] = asked[counter];
  for (const counter of unitCounters) most[counter] = Math.max(earlier[counter], later[counter]);
  return { ...most, ...mergeDoubts(most, asked, [earlier, later]) };
}

/** Returns the doubts about two reports of one answer, of which one has the output and one has the prompt. */
function mergeDoubts(written: Usage, asked: Usage, reports: readonly Usage[]): Pick<Usage, 'disputed' | 'implausible'> {
  const ofPrompt = promptCounters.map((counter) => [counter, asked.disputed?.[counter] ?? 0]);
  const isDisputed = written.disputed !== undefined || asked.disputed !== undefined;
  return {
    ...(isDisputed && { disputed: { ...written.disputed, ...Object.fromEntries(ofPrompt) } }),
    ...markImplausible(...reports.flatMap((report) => report.implausible ?? [])),
  };
}

/** Above this no vendor's context window reaches; a larger report is a mistake or an attack. */
export const TOKENS_MAX = 100_000_000;

/**
 * A counter as an upstream sent it, made safe: whole, not negative, not absurd. Anything else counts 0, which is the
 * same as not reported where there must have been some; numbers in strings, too, because no dialect has them and what
 * is not reported is counted. A fraction is charged as the token that it began.
 */
export function toTokenCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.ceil(value), TOKENS_MAX);
}

/**
 * Hands out parts of a whole until it is used up: counters that overlap in a report are disjoint here. A part that is
 * larger than the whole is marked as not believed.
 */
export class Shares {
  readonly #whole: number;
  #left: number;
  readonly #implausible: UsageCounterName[] = [];

  constructor(whole: unknown) {
    this.#whole = toTokenCount(whole);
    this.#left = this.#whole;
  }

  /** @param cached the part of it that is among the cached tokens */
  take(counter: TokenCounterName, share: unknown, cached?: unknown): number {
    const isCachedBeyond = toTokenCount(cached) > toTokenCount(share);
    if (isCachedBeyond) this.#implausible.push('cachedRead');
    const count = toTokenCount(share) - (isCachedBeyond ? 0 : toTokenCount(cached));
    if (count > this.#whole) this.#implausible.push(counter);
    const taken = Math.min(this.#left, count);
    this.#left -= taken;
    return taken;
  }

  get rest(): number {
    return this.#left;
  }

  /** Counters of parts that were larger than the whole. */
  get implausible(): readonly UsageCounterName[] {
    return this.#implausible;
  }
}

/** Returns the mark of counters that were not believed, for a usage. */
export function markImplausible(...counters: readonly UsageCounterName[]): Pick<Usage, 'implausible'> {
  return counters.length === 0 ? {} : { implausible: [...new Set(counters)] };
}

/** No answer comes of more searches or runs than this. */
const CALLS_MAX = 10_000;

/** The same for what a vendor's own tools did within an answer. */
export function toCallCount(value: unknown): number {
  return Math.min(toTokenCount(value), CALLS_MAX);
}

/** A length of sound as it was reported. A begun second is one; undefined where there is no such report. */
export function toSecondsUsage(value: unknown): Usage | undefined {
  const second = toTokenCount(value);
  return second === 0 ? undefined : { ...emptyUsage(), second };
}
