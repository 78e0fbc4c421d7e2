/**
 * Usage of one response. The token counters are disjoint: a cached token is not also an input token, a reasoning
 * token is not also an output token; `cachedRead` excludes cached audio and images, for which some vendors charge
 * more. Each dialect's decoder subtracts overlapping counters of its vendor's report.
 * Unit counters are independent of the tokens: a search, an image, a second of audio.
 */
export const tokenCounters = [
  'input',
  'cachedRead',
  'cachedAudioInput',
  'cachedImageInput',
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
  'cachedAudioInput',
  'cachedImageInput',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
] as const satisfies readonly TokenCounterName[];

const outputCounters = [
  'output',
  'reasoning',
  'audioOutput',
  'imageOutput',
] as const satisfies readonly TokenCounterName[];

export interface Usage extends Record<UsageCounterName, number> {
  /** Size and quality of the counted images, for instance `1024x1024/hd`; empty when unknown. */
  imageVariant: string;
  /** Usage of other models, and of further runs, which the counters above exclude; absent without any. */
  others?: readonly ModelUsage[];
  /** Tokens that one number of the report has and others contradict; absent without any. */
  disputed?: DisputedTokens;
  /** Counters whose report, or whose source in the request, was implausible; absent without any. */
  implausible?: readonly UsageCounterName[];
  /** Tokens of `cacheWrite5m` whose lifetime the report doesn't tell; absent without any. */
  untimedCacheWrites?: number;
}

export type DisputedTokens = Readonly<Partial<Record<TokenCounterName, number>>>;

/** Share of another model, or of a further run, in a response of several. */
export interface ModelUsage {
  /** Name at the vendor; empty if not reported, or for a further run of the response's own model. */
  model: string;
  /** Vendor tool that ran the model; absent for a model that took part in the conversation. */
  tool?: 'image_generation';
  /** Set if the gateway itself chose the name, which it otherwise takes from the vendor's report. */
  isChosenHere?: true;
  usage: Usage;
}

/** Returns the counters of the response's own model and of each other model. */
export function usageByModel(usage: Usage): readonly Usage[] {
  return usage.others === undefined ? [usage] : [usage, ...usage.others.map((other) => other.usage)];
}

/**
 * Returns the sum of all models that took part in the conversation, for the client. A tool's model is reported
 * separately.
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
    cachedAudioInput: 0,
    cachedImageInput: 0,
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

/** Returns the input tokens of the response's own model, which determine a vendor's context-length tier. */
export function promptTokens(usage: Usage): number {
  return promptCounters.reduce((tokens, counter) => tokens + usage[counter], 0);
}

/** Returns all cached input tokens of the response's own model: of text, audio and images. */
export function cachedTokens({
  cachedRead,
  cachedAudioInput,
  cachedImageInput,
}: Pick<Usage, 'cachedRead' | 'cachedAudioInput' | 'cachedImageInput'>): number {
  return cachedRead + cachedAudioInput + cachedImageInput;
}

/** Returns the output tokens of the response's own model. */
export function outputTokens(usage: Usage): number {
  return usage.output + usage.reasoning + usage.audioOutput + usage.imageOutput;
}

/**
 * Merges two reports of one response: the larger prompt, the larger output (the later of two equal ones) and the
 * larger count of each unit. Some vendors end a stream with an empty report after the true one, or report the prompt
 * first and the output last. The parts of one prompt stay together, because a later report may split it differently.
 */
export function mergeReports(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later;
  const most = outputTokens(earlier) > outputTokens(later) ? { ...earlier } : { ...later };
  const asked = promptTokens(earlier) > promptTokens(later) ? earlier : later;
  for (const counter of promptCounters) most[counter] = asked[counter];
  for (const counter of unitCounters) most[counter] = Math.max(earlier[counter], later[counter]);
  delete most.untimedCacheWrites;
  return { ...most, ...mergeDoubts(most, asked, [earlier, later]), ...markUntimed(asked.untimedCacheWrites ?? 0) };
}

/** Returns the usage of choices that have one prompt, of which the largest report counts, and each its own output. */
export function sumChoices(choices: readonly Usage[]): Usage {
  const largest = choices.reduce<Usage | undefined>(mergeReports, undefined) ?? emptyUsage();
  const sum = { ...largest };
  const disputed: Partial<Record<TokenCounterName, number>> = { ...largest.disputed };
  for (const counter of outputCounters) {
    sum[counter] = toTokenCount(choices.reduce((tokens, choice) => tokens + choice[counter], 0));
    disputed[counter] = choices.reduce((tokens, choice) => tokens + (choice.disputed?.[counter] ?? 0), 0);
  }
  sum.webSearch = toCallCount(choices.reduce((searches, { webSearch }) => searches + webSearch, 0));
  return choices.some((choice) => choice.disputed !== undefined) ? { ...sum, disputed } : sum;
}

/** Merges the doubts about two reports, of which one supplies the output and one the prompt. */
function mergeDoubts(written: Usage, asked: Usage, reports: readonly Usage[]): Pick<Usage, 'disputed' | 'implausible'> {
  const ofPrompt = promptCounters.map((counter) => [counter, asked.disputed?.[counter] ?? 0]);
  const isDisputed = written.disputed !== undefined || asked.disputed !== undefined;
  return {
    ...(isDisputed && { disputed: { ...written.disputed, ...Object.fromEntries(ofPrompt) } }),
    ...markImplausible(...reports.flatMap((report) => report.implausible ?? [])),
  };
}

/** Maximum tokens of a report. No context window is larger, so that a larger report is a mistake or an attack. */
export const TOKENS_MAX = 100_000_000;

/**
 * Converts an upstream's counter to a safe integer, between 0 and the maximum, rounded up. Anything else counts as 0,
 * that is, not reported, and is then counted by the gateway. This includes numbers in strings, which no dialect has.
 */
export function toTokenCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.ceil(value), TOKENS_MAX);
}

/**
 * Allocator of parts of a total until it is used up, which makes overlapping counters disjoint. A part that exceeds
 * the total is marked as implausible.
 */
export class Shares {
  readonly #whole: number;
  #left: number;
  readonly #implausible: UsageCounterName[] = [];

  constructor(whole: unknown) {
    this.#whole = toTokenCount(whole);
    this.#left = this.#whole;
  }

  take(counter: TokenCounterName, share: unknown): number {
    const count = toTokenCount(share);
    if (count > this.#whole) this.#implausible.push(counter);
    const taken = Math.min(this.#left, count);
    this.#left -= taken;
    return taken;
  }

  get rest(): number {
    return this.#left;
  }

  /** Counters of parts that exceeded the total. */
  get implausible(): readonly UsageCounterName[] {
    return this.#implausible;
  }
}

/** Audio and image tokens of a report, not yet validated. */
export interface MediaTokens {
  audio: unknown;
  image: unknown;
}

const cachedMedia = [
  ['cachedAudioInput', 'audioInput'],
  ['cachedImageInput', 'imageInput'],
] as const;

export type SplitMedia = Pick<
  Usage,
  'cachedRead' | 'cachedAudioInput' | 'cachedImageInput' | 'audioInput' | 'imageInput'
>;

/**
 * Splits a prompt's cached tokens by kind, and returns its audio and image tokens without the cached ones. Cached tokens
 * of a kind that exceed all tokens of this kind, or all cached tokens, are implausible and count as cached text, as they
 * do without details.
 * @param cached all cached tokens
 * @param all audio and images of the prompt, cached or not
 * @param parts cached audio and images
 */
export function splitCachedMedia(
  cached: number,
  all: MediaTokens,
  parts: MediaTokens,
): { media: SplitMedia; implausible: readonly UsageCounterName[] } {
  const media = {
    cachedRead: cached,
    cachedAudioInput: toTokenCount(parts.audio),
    cachedImageInput: toTokenCount(parts.image),
    audioInput: toTokenCount(all.audio),
    imageInput: toTokenCount(all.image),
  };
  const implausible: UsageCounterName[] = [];
  for (const [part, whole] of cachedMedia) {
    const isBeyond = media[part] > Math.min(media[whole], media.cachedRead);
    if (isBeyond) {
      implausible.push(part);
      media[part] = 0;
    }
    media.cachedRead -= media[part];
    media[whole] -= media[part];
  }
  return { media, implausible };
}

/** Returns the mark of implausible counters, for a usage. */
export function markImplausible(...counters: readonly UsageCounterName[]): Pick<Usage, 'implausible'> {
  return counters.length === 0 ? {} : { implausible: [...new Set(counters)] };
}

/** Returns the mark of cache writes without a lifetime, for a usage. */
export function markUntimed(tokens: number): Pick<Usage, 'untimedCacheWrites'> {
  return tokens > 0 ? { untimedCacheWrites: tokens } : {};
}

/** Maximum searches or runs of a response. */
const CALLS_MAX = 10_000;

/** Converts a count of vendor tool calls to a safe integer. */
export function toCallCount(value: unknown): number {
  return Math.min(toTokenCount(value), CALLS_MAX);
}

/** Returns a reported audio length, rounded up to seconds; undefined without a report. */
export function toSecondsUsage(value: unknown): Usage | undefined {
  const second = toTokenCount(value);
  return second === 0 ? undefined : { ...emptyUsage(), second };
}
