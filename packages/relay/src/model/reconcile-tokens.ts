/** Rule for reports whose totals may include or exclude their parts, so that no token is lost or counted twice. */
import type { JsonObject } from '../json/json.ts';
import {
  type DisputedTokens,
  type MediaTokens,
  markImplausible,
  type SplitMedia,
  splitCachedMedia,
  toTokenCount,
  type Usage,
} from './usage.ts';

export type PromptPart = 'cachedRead' | 'cacheWrite5m' | 'cacheWrite1h' | 'audioInput' | 'imageInput';
export type CompletionPart = 'reasoning' | 'audioOutput' | 'imageOutput';
export type TokenPart = PromptPart | CompletionPart;

/** Numbers of a vendor's report, not yet validated. */
export interface TokenReport {
  prompt: unknown;
  completion: unknown;
  /** Sum of prompt and completion; absent if not reported. */
  total?: unknown;
  /** Parts, which are subtracted from the totals that include them, in this order. */
  parts: Partial<Record<TokenPart, unknown>>;
  /** Cached audio and images, which both `cachedRead` and the parts of their kind include; absent without details. */
  cachedMedia?: MediaTokens;
}

export type TokenUsage = Pick<Usage, 'input' | 'output' | TokenPart | keyof SplitMedia | 'disputed' | 'implausible'>;
type PartUsage = Pick<Usage, 'input' | 'output' | TokenPart | 'disputed'>;

const promptParts = ['cachedRead', 'cacheWrite5m', 'cacheWrite1h', 'audioInput', 'imageInput'] as const;
const completionParts = ['reasoning', 'audioOutput', 'imageOutput'] as const;
/** Parts that totals exclude, the likeliest first: xAI excludes reasoning, Mistral audio, OpenRouter cache writes. */
const oftenBeside = [
  'reasoning',
  'audioInput',
  'cacheWrite5m',
  'cacheWrite1h',
  'cachedRead',
  'imageInput',
  'audioOutput',
  'imageOutput',
] as const;

/**
 * Returns disjoint counters. Cached tokens are reconciled as one part and split by kind afterwards, so that a total
 * includes or excludes all of them.
 */
export function reconcileTokens({ cachedMedia, ...report }: TokenReport): TokenUsage {
  if (cachedMedia === undefined) return { ...reconcileParts(report), cachedAudioInput: 0, cachedImageInput: 0 };
  const { cachedRead, audioInput, imageInput } = report.parts;
  const { media, implausible } = splitCachedMedia(
    toTokenCount(cachedRead),
    { audio: audioInput, image: imageInput },
    cachedMedia,
  );
  const { audioInput: audio, imageInput: image, ...cached } = media;
  const usage = reconcileParts({ ...report, parts: { ...report.parts, audioInput: audio, imageInput: image } });
  const { disputed } = usage;
  const isSplit = cached.cachedRead < usage.cachedRead;
  return {
    ...usage,
    ...cached,
    ...(isSplit && disputed?.cachedRead !== undefined && { disputed: { ...disputed, ...cached } }),
    ...markImplausible(...implausible),
  };
}

/**
 * Returns disjoint counters. A part is excluded from its total if the grand total proves it, or if it is larger
 * (Azure Foundry's Grok); otherwise it is included, and parts that overlap, such as cached audio without details, count
 * once. Cached tokens come first, so that they are never reduced. The excess of the grand total is output: Google's
 * OpenAI-compatible endpoint excludes thoughts from `completion_tokens` and reports them nowhere. Tokens that one
 * number reports against the others are marked as disputed, for a check against the request.
 */
function reconcileParts({ prompt, completion, total, parts }: TokenReport): PartUsage {
  const wholes = { prompt: toTokenCount(prompt), completion: toTokenCount(completion) };
  const counts = countsOf(parts);
  const hasBoth = isCount(prompt) && isCount(completion);
  const excess = hasBoth ? Math.max(0, toTokenCount(total) - wholes.prompt - wholes.completion) : 0;
  const hasParts = Object.values(counts).some((count) => count > 0);
  if (!hasParts && excess === 0) return { ...counts, input: wholes.prompt, output: wholes.completion };
  const larger: TokenPart[] = [
    ...promptParts.filter((part) => counts[part] > wholes.prompt),
    ...completionParts.filter((part) => counts[part] > wholes.completion),
  ];
  const proven = partsOfSum(counts, excess, larger);
  const beside = new Set<TokenPart>([...(proven ?? []), ...larger]);
  const unnamed = proven === undefined ? excess : 0;
  const input = takeParts(wholes.prompt, promptParts, counts, beside);
  const output = takeParts(wholes.completion, completionParts, counts, beside);
  const disputed = disputedTokens(larger, counts, new Set(proven), unnamed);
  return {
    ...counts,
    ...input.taken,
    ...output.taken,
    input: input.rest,
    output: output.rest + unnamed,
    ...(disputed !== undefined && { disputed }),
  };
}

/**
 * Returns the tokens that only one number reports. Excludes reasoning: Perplexity's deep research and Azure Foundry's
 * Grok report more of it than completion tokens, and exclude it from the total.
 */
function disputedTokens(
  larger: readonly TokenPart[],
  counts: Record<TokenPart, number>,
  proven: ReadonlySet<TokenPart>,
  unnamed: number,
): DisputedTokens | undefined {
  const parts = larger.filter((part) => part !== 'reasoning' && !proven.has(part));
  if (parts.length === 0 && unnamed === 0) return undefined;
  return { ...Object.fromEntries(parts.map((part) => [part, counts[part]])), ...(unnamed > 0 && { output: unnamed }) };
}

/** Returns whether a total was reported; a negative number doesn't count. */
function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function countsOf(parts: TokenReport['parts']): Record<TokenPart, number> {
  return {
    cachedRead: toTokenCount(parts.cachedRead),
    cacheWrite5m: toTokenCount(parts.cacheWrite5m),
    cacheWrite1h: toTokenCount(parts.cacheWrite1h),
    audioInput: toTokenCount(parts.audioInput),
    imageInput: toTokenCount(parts.imageInput),
    reasoning: toTokenCount(parts.reasoning),
    audioOutput: toTokenCount(parts.audioOutput),
    imageOutput: toTokenCount(parts.imageOutput),
  };
}

/**
 * Returns parts that add up to the sum, none for 0; undefined if no parts do. Among several choices it prefers most
 * of the parts that cannot be included, then the fewest parts.
 */
function partsOfSum(
  counts: Record<TokenPart, number>,
  sum: number,
  larger: readonly TokenPart[],
): TokenPart[] | undefined {
  if (sum === 0) return [];
  const names = oftenBeside.filter((part) => counts[part] > 0);
  const score = (chosen: readonly TokenPart[]): number =>
    chosen.filter((part) => larger.includes(part)).length * names.length - chosen.length;
  let best: TokenPart[] | undefined;
  for (let mask = 1; mask < 2 ** names.length; mask += 1) {
    const chosen = names.filter((_, nth) => (mask >> nth) % 2 === 1);
    const isSum = chosen.reduce((tokens, part) => tokens + counts[part], 0) === sum;
    if (isSum && (best === undefined || score(chosen) > score(best))) best = chosen;
  }
  return best;
}

function takeParts<Part extends TokenPart>(
  whole: number,
  names: readonly Part[],
  counts: Record<TokenPart, number>,
  beside: ReadonlySet<TokenPart>,
): { taken: Partial<Record<Part, number>>; rest: number } {
  const taken: Partial<Record<Part, number>> = {};
  let rest = whole;
  for (const name of names) {
    if (beside.has(name)) continue;
    taken[name] = Math.min(counts[name], rest);
    rest -= Math.min(counts[name], rest);
  }
  return { taken, rest };
}

/** Fields of a report that describe the same tokens. */
export interface FieldGroup {
  /** Disjoint counters. */
  sum: readonly string[];
  /** Further fields, which are breakdowns of the counters. */
  parts: readonly string[];
}

/**
 * Returns the later of two reports of one response, with those groups of the earlier one that have more tokens. A
 * vendor's last report may be empty, and earlier reported tokens must still be charged.
 */
export function keepLarger(earlier: JsonObject, later: JsonObject, groups: readonly FieldGroup[]): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const { sum, parts } of groups)
    if (sumOf(earlier, sum) > sumOf(later, sum)) for (const name of [...sum, ...parts]) kept[name] = earlier[name];
  return Object.keys(kept).length === 0 ? later : { ...later, ...kept };
}

function sumOf(report: JsonObject, names: readonly string[]): number {
  let tokens = 0;
  for (const name of names) tokens += toTokenCount(report[name]);
  return tokens;
}
