/** Bounds of every counter that an upstream may report, so that a wrong number does not become a charge. */

import { maxInputImageTokens } from '../dialects/images/image-usage.ts';
import { BYTES_PER_SECOND_MIN } from '../media/duration-and-step-budget.ts';
import { estimateRecordingUsage, SPEECH_TOKENS_PER_SECOND } from '../media/recording-usage.ts';
import { hasMediaItems, readsExternalContent, usesVendorTools } from '../tokens/external-content-and-tools.ts';
import { countMaximumTokens } from '../tokens/read-prompt.ts';
import type { ClientRequest, RequestFacts } from './client-request.ts';
import type { Meter } from './dialect.ts';
import type { Operation } from './dialect-id.ts';
import {
  conversationUsage,
  type DisputedTokens,
  emptyUsage,
  markImplausible,
  promptCounters,
  promptTokens,
  TOKENS_MAX,
  type TokenCounterName,
  tokenCounters,
  type Usage,
  type UsageCounterName,
  usageByModel,
  usageCounters,
} from './usage.ts';
import { copyMeter, estimateOutput } from './usage-meter.ts';

/**
 * Factor of the expected value up to which a counter is plausible; a larger one is a mistake, such as milliseconds.
 */
export const PLAUSIBLE_FACTOR = 10;
/**
 * Counters that neither the request nor the delivered content shows, so that nothing replaces an implausible report. A
 * request can make a vendor exceed their bounds somewhat, and must not become cheaper by that.
 */
const unseenCounters: ReadonlySet<UsageCounterName> = new Set([
  'reasoning',
  'imageOutput',
  'webSearch',
  'mapsGrounding',
  'codeExecution',
  'fileSearch',
]);
/** Factor of a bound up to which such a counter is charged as the bound. Mistakes in the unit exceed it by more. */
const POSSIBLE_FACTOR = 4;

/** Tokens of the vendor's own instructions; Grok's have about 300. */
const INSTRUCTIONS = 1_000;
/** Tokens of instructions and of the additions of an application or a search, of which 61,000 have been observed. */
const HIDDEN_PROMPT = 20_000;
/**
 * Tokens of a prompt that the request doesn't contain: files, stored conversations, tool results, documents, videos.
 */
const REFERENCED_PROMPT = 1_000_000;
/** Expected output tokens without a cap, and their maximum with a cap. */
const OUTPUT_DEFAULT = 8_192;
const OUTPUT_MAX = 20_000;
/** Tokens of hidden reasoning, which some vendors don't include in the client's cap. */
const HIDDEN_OUTPUT = 20_000;
/**
 * Tokens of three seconds of speech in addition to those of the text: silence before and after a word, and pauses,
 * which instructions make longer, don't depend on the length of the text.
 */
const SILENCE = 3 * SPEECH_TOKENS_PER_SECOND;
/** Searches and runs of vendor tools. */
const CALLS = 25;
/** The same of a request that enables no tools: some models search by themselves, as Perplexity's do. */
const UNASKED_SEARCHES = 5;
const UNASKED_RUNS = 1;

/** Expected usage, from a request and the delivered content. */
export interface UsageExpectation {
  /** Prompt tokens, visible ones and others. */
  prompt: number;
  hiddenPrompt: number;
  /** Output tokens, visible ones and others. */
  output: number;
  hiddenOutput: number;
  search: number;
  second: number;
  character: number;
  /** Searches of the web and of maps by vendor tools. */
  webSearch: number;
  /** Other runs of vendor tools. */
  toolRuns: number;
  image: number;
  /** Images of the image tool. */
  toolImages: number;
}

/** Limits of a prompt of which a vendor reports more than expected. */
export interface PromptLimits {
  /** Most tokens that the visible prompt can have in any vocabulary. */
  visible: number;
  /** True if the vendor reads content that the request doesn't contain. */
  mayReadMore: boolean;
}

const unknownLimits: PromptLimits = { visible: 0, mayReadMore: false };

/**
 * Returns the meter without counters that the request and the delivered content make implausible, and with cache
 * writes of the lifetime that the request asks for.
 */
export function sanitizeMeter(request: ClientRequest, meter: Meter): Meter {
  const { usage: reported } = meter;
  if (reported === undefined) return meter;
  const expected = expectUsage(request, meter);
  let limits: PromptLimits | undefined;
  const plausible = sanitizeUsage(reported, expected, () => (limits ??= findPromptLimits(request)));
  const usage = withRequestedLifetime(request, plausible);
  return usage === reported ? meter : { ...copyMeter(meter), usage };
}

/** Operations whose whole body has been read as a prompt, and refused if that fails. */
const promptOperations: ReadonlySet<Operation> = new Set(['chat', 'completions', 'embeddings']);

function findPromptLimits(request: ClientRequest): PromptLimits {
  const { json, operation } = request;
  const hasItems = operation === 'embeddings' || operation === 'rerank';
  return {
    visible: promptOperations.has(operation) ? countMaximumTokens(request, PLAUSIBLE_FACTOR) : 0,
    // The images at the addresses of an images request are counted instead.
    mayReadMore: (operation !== 'images' && readsExternalContent(json)) || (hasItems && hasMediaItems(json)),
  };
}

/**
 * Returns the usage with those cache writes as one-hour ones whose lifetime the report doesn't tell, if the request asks
 * for such: otherwise, they would be charged at the lower rate.
 */
function withRequestedLifetime({ facts }: ClientRequest, usage: Usage): Usage {
  if (
    facts.cacheLifetime !== '1h' ||
    usageByModel(usage).every(({ untimedCacheWrites = 0 }) => untimedCacheWrites === 0)
  )
    return usage;
  const { others, ...own } = usage;
  if (others === undefined) return withHourlyWrites(own);
  return {
    ...withHourlyWrites(own),
    others: others.map((other) => ({ ...other, usage: withHourlyWrites(other.usage) })),
  };
}

function withHourlyWrites({ untimedCacheWrites = 0, ...usage }: Usage): Usage {
  const moved = Math.min(untimedCacheWrites, usage.cacheWrite5m);
  return { ...usage, cacheWrite5m: usage.cacheWrite5m - moved, cacheWrite1h: usage.cacheWrite1h + moved };
}

/**
 * Returns the usage without implausible counters: without disputed tokens beyond `PLAUSIBLE_FACTOR` times the visible
 * content, and then without counters beyond the same factor of the expected usage. Such a counter counts as not
 * reported, or as its bound if nothing else shows it.
 * @param findLimits called only if the prompt is otherwise too large
 */
export function sanitizeUsage(
  reported: Usage,
  expected: UsageExpectation,
  findLimits: () => PromptLimits = () => unknownLimits,
): Usage {
  const { disputed, others, ...usage } = reported;
  const implausible = new Set<UsageCounterName>();
  for (const counter of findDisputedCounters(disputed, expected, findLimits)) {
    usage[counter] -= disputed?.[counter] ?? 0;
    implausible.add(counter);
  }
  const bounds = computeBounds(expected);
  const all = others === undefined ? usage : conversationUsage(reported);
  const isPromptBeyond = promptCounters.some((counter) => all[counter] > bounds[counter]);
  const limits = isPromptBeyond ? findLimits() : unknownLimits;
  const widest = isPromptBeyond ? computeBounds(expected, limits) : bounds;
  const isPlausible = implausible.size === 0 && usageCounters.every((counter) => usage[counter] <= widest[counter]);
  if (isPlausible && others === undefined) return usage;
  const charged = new Set<UsageCounterName>(isChargedBeyond(all, limits) ? promptCounters : []);
  // All models together stay within the bounds.
  const left = { ...widest };
  const own = limitUsage({ ...usage, ...markImplausible(...(usage.implausible ?? []), ...implausible) }, left, charged);
  if (others === undefined) return own;
  left.image = PLAUSIBLE_FACTOR * expected.toolImages;
  return { ...own, others: others.map((other) => ({ ...other, usage: limitUsage(other.usage, left, charged) })) };
}

/**
 * Returns whether a prompt beyond its bound is charged as the bound instead of the estimate: only content from elsewhere,
 * which tools may make the vendor read many times, can truly exceed the bound, so that any other such report, or one of
 * `TOKENS_MAX`, is the vendor's mistake.
 */
function isChargedBeyond(all: Usage, { mayReadMore }: PromptLimits): boolean {
  return mayReadMore && promptTokens(all) < TOKENS_MAX;
}

/**
 * Returns the usage within the bounds, and subtracts it from them.
 * @param charged counters that are charged as their bound beyond it
 */
function limitUsage(
  reported: Usage,
  left: Record<UsageCounterName, number>,
  charged: ReadonlySet<UsageCounterName>,
): Usage {
  const usage = { ...reported };
  const implausible = new Set<UsageCounterName>(reported.implausible);
  for (const counter of usageCounters) {
    const bound = left[counter];
    if (usage[counter] > bound) {
      const isPossible = unseenCounters.has(counter) && usage[counter] <= POSSIBLE_FACTOR * bound;
      // The response contains the images, but their number may be the vendor's mistake.
      usage[counter] = counter === 'image' || charged.has(counter) || isPossible ? bound : 0;
      implausible.add(counter);
    }
    left[counter] -= usage[counter];
  }
  return { ...usage, ...markImplausible(...implausible) };
}

function findDisputedCounters(
  disputed: DisputedTokens = {},
  { prompt, output }: UsageExpectation,
  findLimits: () => PromptLimits,
): TokenCounterName[] {
  const isPrompt = new Set<TokenCounterName>(promptCounters);
  return tokenCounters.filter((counter) => {
    const count = disputed[counter] ?? 0;
    if (!isPrompt.has(counter)) return count > PLAUSIBLE_FACTOR * output;
    if (count <= PLAUSIBLE_FACTOR * (prompt + INSTRUCTIONS)) return false;
    return count > maxPrompt({ prompt, hiddenPrompt: INSTRUCTIONS }, findLimits());
  });
}

/** Returns the expected usage of a chat response. */
export function expectChatUsage(prompt: number, output: number, choices = 1): UsageExpectation {
  return {
    prompt,
    hiddenPrompt: HIDDEN_PROMPT,
    output,
    hiddenOutput: HIDDEN_OUTPUT * choices,
    search: CALLS,
    // A second of audio has at least one prompt token.
    second: prompt + HIDDEN_PROMPT,
    character: 0,
    webSearch: CALLS,
    toolRuns: CALLS,
    image: choices,
    toolImages: UNASKED_RUNS,
  };
}

/** Returns the expected usage of a transcript, regardless of the length that the recording claims. */
export function expectTranscriptionUsage(prompt: number, second: number, output = 0): UsageExpectation {
  const heard = estimateRecordingUsage(second);
  return { ...expectChatUsage(prompt + heard.audioInput, Math.max(output, heard.output)), hiddenOutput: 0, second };
}

/** Returns the maximum length of a request's recording, regardless of its header. */
export function maxRecordingSeconds({ facts: { expected }, body }: ClientRequest): number {
  return PLAUSIBLE_FACTOR * Math.max(expected?.usage.second ?? 0, body.length / BYTES_PER_SECOND_MIN);
}

/** Returns whether vendor tools or other models ran. */
function hasRuns({ webSearch, mapsGrounding, codeExecution, fileSearch, others } = emptyUsage()): boolean {
  return others !== undefined || webSearch + mapsGrounding + codeExecution + fileSearch > 0;
}

function expectUsage(request: ClientRequest, meter: Meter): UsageExpectation {
  const { facts, operation } = request;
  const { inputTokensEstimate: prompt, maxOutputTokens, choices, imageTool } = facts;
  const delivered = estimateOutput(request, meter);
  if (operation === 'transcription')
    return expectTranscriptionUsage(prompt, maxRecordingSeconds(request) / PLAUSIBLE_FACTOR, delivered);
  if (operation === 'chat' || operation === 'completions') {
    const cap = Math.min(maxOutputTokens ?? OUTPUT_DEFAULT, OUTPUT_MAX);
    const chat = expectChatUsage(prompt, Math.max(cap * choices, delivered), choices);
    const usesTools = hasRuns(meter.usage) && usesVendorTools(request.billedJson ?? request.json);
    return {
      ...chat,
      hiddenOutput: chat.hiddenOutput + (imageTool?.usage.imageOutput ?? 0),
      webSearch: usesTools ? CALLS : UNASKED_SEARCHES,
      toolRuns: usesTools ? CALLS : UNASKED_RUNS,
      // The response contains each image of a requested tool.
      toolImages: imageTool === undefined ? UNASKED_RUNS : Number.POSITIVE_INFINITY,
    };
  }
  return expectUnits(request, delivered);
}

/** @param delivered tokens of the delivered content */
function expectUnits({ operation, facts, json }: ClientRequest, delivered: number): UsageExpectation {
  const { inputTokensEstimate: prompt, maxOutputTokens, choices, expected } = facts;
  const units = expected?.usage ?? emptyUsage();
  const output = Math.max((maxOutputTokens ?? 0) * choices, units.imageOutput, delivered);
  const { search, second, character, image } = units;
  const media = units.imageInput + units.audioInput;
  const chat = { ...expectChatUsage(prompt + media, output), hiddenOutput: 0, search, second, character, image };
  // The prompt includes the instructions of speech.
  if (operation === 'speech') return { ...chat, hiddenPrompt: INSTRUCTIONS, hiddenOutput: SILENCE + prompt };
  if (operation !== 'images' || !readsExternalContent(json)) return chat;
  return { ...chat, prompt: prompt + Math.max(media, maxInputImageTokens(json)), hiddenPrompt: INSTRUCTIONS };
}

/**
 * Returns the facts of a request for speech or images with the most tokens and seconds that a report may have and still
 * be charged, for the hold of a request whose text doesn't determine them. Other operations keep their facts.
 */
export function assumePlausibleUsage(request: ClientRequest): RequestFacts {
  const { facts, operation } = request;
  const { expected } = facts;
  if (expected === undefined) return facts;
  const { input, imageInput, audioOutput } = computeBounds(expectUnits(request, 0));
  if (operation === 'images') return { ...facts, expected: { ...expected, usage: { ...expected.usage, imageInput } } };
  if (operation !== 'speech') return facts;
  const second = Math.ceil(audioOutput / SPEECH_TOKENS_PER_SECOND);
  const usage = { ...expected.usage, audioOutput, second };
  return { ...facts, inputTokensEstimate: input, expected: { ...expected, usage } };
}

function maxPrompt(
  { prompt, hiddenPrompt }: Pick<UsageExpectation, 'prompt' | 'hiddenPrompt'>,
  { visible, mayReadMore }: PromptLimits,
): number {
  const hidden = mayReadMore ? REFERENCED_PROMPT : hiddenPrompt;
  return Math.max(PLAUSIBLE_FACTOR * prompt, visible) + PLAUSIBLE_FACTOR * hidden;
}

/** Returns the bounds of all counters. */
function computeBounds(
  expected: UsageExpectation,
  limits: PromptLimits = unknownLimits,
): Record<UsageCounterName, number> {
  const prompt = maxPrompt(expected, limits);
  const output = PLAUSIBLE_FACTOR * (expected.output + expected.hiddenOutput);
  return {
    input: prompt,
    cachedRead: prompt,
    cachedAudioInput: prompt,
    cachedImageInput: prompt,
    cacheWrite5m: prompt,
    cacheWrite1h: prompt,
    audioInput: prompt,
    imageInput: prompt,
    output,
    reasoning: output,
    audioOutput: output,
    imageOutput: output,
    webSearch: PLAUSIBLE_FACTOR * expected.webSearch,
    mapsGrounding: PLAUSIBLE_FACTOR * expected.webSearch,
    codeExecution: PLAUSIBLE_FACTOR * expected.toolRuns,
    fileSearch: PLAUSIBLE_FACTOR * expected.toolRuns,
    search: PLAUSIBLE_FACTOR * expected.search,
    image: PLAUSIBLE_FACTOR * expected.image,
    second: PLAUSIBLE_FACTOR * expected.second,
    character: PLAUSIBLE_FACTOR * expected.character,
  };
}
