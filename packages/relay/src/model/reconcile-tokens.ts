/**
 * One rule for reports in which parts lie now inside a whole and now beside it, so that no token is lost and none is
 * counted twice.
 */
import type { JsonObject } from '../json/json.ts';
import { type DisputedTokens, toTokenCount, type Usage } from './usage.ts';

export type PromptPart = 'cachedRead' | 'cacheWrite5m' | 'cacheWrite1h' | 'audioInput' | 'imageInput';
export type CompletionPart = 'reasoning' | 'audioOutput' | 'imageOutput';
export type TokenPart = PromptPart | CompletionPart;

/** Numbers as a vendor wrote them, not yet checked. */
export interface TokenReport {
  prompt: unknown;
  completion: unknown;
  /** Sum of prompt and completion; absent where the vendor writes none. */
  total?: unknown;
  /** Those inside a whole are taken out of it in this order. */
  parts: Partial<Record<TokenPart, unknown>>;
}

export type TokenUsage = Pick<Usage, 'input' | 'output' | TokenPart | 'disputed'>;

const promptParts = ['cachedRead', 'cacheWrite5m', 'cacheWrite1h', 'audioInput', 'imageInput'] as const;
const completionParts = ['reasoning', 'audioOutput', 'imageOutput'] as const;
/** The likeliest first: xAI leaves out reasoning, Mistral sound, OpenRouter what was written to a cache. */
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
 * Returns counters that do not overlap. A part lies beside its whole when the total proves it, or when it is larger than the
 * whole (Azure Foundry's Grok); else inside, where parts that overlap, such as cached sound, count once. What the total has
 * above wholes and parts was written by the model: Google's OpenAI-compatible endpoint leaves thoughts out of
 * `completion_tokens` and names them nowhere. Tokens that rest on one number against the others are named as disputed, so
 * that whoever knows the request can judge them.
 */
export function reconcileTokens({ prompt, completion, total, parts }: TokenReport): TokenUsage {
  const wholes = { prompt: toTokenCount(prompt), completion: toTokenCount(completion) };
  const counts = countsOf(parts);
  const hasBoth = isCount(prompt) && isCount(completion);
  const excess = hasBoth ? Math.max(0, toTokenCount(total) - wholes.prompt - wholes.completion) : 0;
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
 * Returns the tokens that one number alone stands for. Reasoning is not among them: Perplexity's deep research and Azure
 * Foundry's Grok report more of it than the completion has, and leave it out of the total.
 */
function disputedTokens(
  larger: readonly TokenPart[],
  counts: Record<TokenPart, number>,
  proven: ReadonlySet<TokenPart>,
  unnamed: number,
): DisputedTokens | undefined {
  const parts = larger.filter((part) => part !== 'reasoning' && !proven.has(part));
  if (parts.length === 0 && unnamed === 0) return undefined;
  return {
    ...Object.fromEntries(parts.map((part) => [part, counts[part]])),
    ...(unnamed > 0 && { output: unnamed }),
  };
}

/** Returns whether a whole was reported at all; a negative number is no report. */
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
 * Returns parts that add up to the sum, none for 0; undefined when no parts do. Of several choices it returns one with the
 * most of the parts that cannot lie inside, and then with the fewest parts.
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
  /** Counters that do not overlap. */
  sum: readonly string[];
  /** Further fields, which say what the counted tokens are. */
  parts: readonly string[];
}

/**
 * Returns the later of two reports of one answer, with those groups of the earlier one that come to more tokens. A vendor's
 * last report may be empty, and what was known before must still be charged.
 */
export function keepLarger(earlier: JsonObject, later: JsonObject, groups: readonly FieldGroup[]): JsonObject {
  const kept: Record<string, unknown> = { ...later };
  for (const { sum, parts } of groups)
    if (sumOf(earlier, sum) > sumOf(later, sum)) for (const name of [...sum, ...parts]) kept[name] = earlier[name];
  return kept;
}

function sumOf(report: JsonObject, names: readonly string[]): number {
  return names.reduce((tokens, name) => tokens + toTokenCount(report[name]), 0);
}
