/**
 * Bounds of what an upstream may report, for every counter of every dialect, so that one wrong number does not become a
 * charge.
 */
import { estimateRecordingUsage } from '../media/recording-usage.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Meter } from '../model/dialect.ts';
import { copyMeter, estimateOutput } from '../model/meter.ts';
import {
  type DisputedTokens,
  emptyUsage,
  promptCounters,
  type TokenCounterName,
  tokenCounters,
  type Usage,
  type UsageCounterName,
  usageCounters,
} from '../model/usage.ts';
import { readsExternalContent } from '../tokens/external-content.ts';

/** A counter is believed up to this many times of what is expected of it; more is a mistake, such as milliseconds. */
export const PLAUSIBLE_FACTOR = 10;

/** The vendor's own instructions. Grok has some 300 tokens of them. */
const INSTRUCTIONS = 1_000;
/** Instructions with what an application or a search adds to them: 61,000 tokens have been seen. */
const HIDDEN_PROMPT = 20_000;
/** A prompt that cannot be counted in the request: files, stored conversations, the findings of tools, documents, videos. */
const REFERENCED_PROMPT = 1_000_000;
/** A chat response without a cap, and the most that a cap lets expect. */
const OUTPUT_DEFAULT = 8_192;
const OUTPUT_MAX = 20_000;
/** Reasoning that the client does not get, and that its cap does not cover at every vendor. */
const HIDDEN_OUTPUT = 20_000;
/** Searches and runs of the vendor's tools. */
const CALLS = 25;

/** What a request and the delivered content let expect of a response. */
export interface UsageExpectation {
  /** Tokens of the prompt that the gateway sees, and that it does not see. */
  prompt: number;
  hiddenPrompt: number;
  /** Tokens of the response likewise. */
  output: number;
  hiddenOutput: number;
  search: number;
  second: number;
  character: number;
}

/** Below this no codec says words. Bytes. */
const BYTES_PER_SECOND_MIN = 1_000;

/** Returns the meter with those counters of its report that the request and the delivered content allow. */
export function sanitizeMeter(request: ClientRequest, meter: Meter): Meter {
  const { usage: reported } = meter;
  if (reported === undefined) return meter;
  const expected = expectUsage(request, meter);
  const usage = sanitizeUsage(reported, expected, () => readsExternalContent(request.json));
  return usage === reported ? meter : { ...copyMeter(meter), usage };
}

/**
 * Returns the usage without what is not plausible: without disputed tokens beyond `TIMES_MAX` times of what can be seen,
 * and then without counters beyond as many times of all that is expected. Such a counter counts as not reported.
 * @param mayReadMore asked only about a prompt that is too large without it
 */
export function sanitizeUsage(
  reported: Usage,
  expected: UsageExpectation,
  mayReadMore: () => boolean = () => false,
): Usage {
  const { disputed, others, ...usage } = reported;
  const implausible = new Set<UsageCounterName>(usage.implausible);
  for (const counter of findDisputedCounters(disputed, expected)) {
    usage[counter] -= disputed?.[counter] ?? 0;
    implausible.add(counter);
  }
  const bounds = computeBounds(expected);
  const isPromptBeyond = promptCounters.some((counter) => usage[counter] > bounds[counter]);
  const widest =
    isPromptBeyond && mayReadMore() ? computeBounds({ ...expected, hiddenPrompt: REFERENCED_PROMPT }) : bounds;
  for (const counter of usageCounters) {
    if (usage[counter] <= widest[counter]) continue;
    usage[counter] = 0;
    implausible.add(counter);
  }
  const believed = others?.map((other) => ({
    ...other,
    usage: sanitizeUsage(other.usage, expected, mayReadMore),
  }));
  return {
    ...usage,
    ...(believed !== undefined && { others: believed }),
    ...(implausible.size > 0 && { implausible: [...implausible] }),
  };
}

function findDisputedCounters(disputed: DisputedTokens = {}, { prompt, output }: UsageExpectation): TokenCounterName[] {
  const isPrompt = new Set<TokenCounterName>(promptCounters);
  return tokenCounters.filter((counter) => {
    const seen = isPrompt.has(counter) ? prompt + INSTRUCTIONS : output;
    return (disputed[counter] ?? 0) > PLAUSIBLE_FACTOR * seen;
  });
}

/** Returns what is expected of a response that a model writes for a prompt of the client's. */
export function expectChatUsage(prompt: number, output: number, choices = 1): UsageExpectation {
  return {
    prompt,
    hiddenPrompt: HIDDEN_PROMPT,
    output,
    hiddenOutput: HIDDEN_OUTPUT * choices,
    search: CALLS,
    // A second of sound is at least one token of the prompt.
    second: prompt + HIDDEN_PROMPT,
    character: 0,
  };
}

/** Returns what is expected of a transcript, whatever length the recording claims. */
export function expectTranscriptionUsage(prompt: number, second: number, output = 0): UsageExpectation {
  const heard = estimateRecordingUsage(second);
  return {
    ...expectChatUsage(prompt + heard.audioInput, Math.max(output, heard.output)),
    hiddenOutput: 0,
    second,
  };
}

/** Returns the longest that the recording of a request can be, whatever its header states. */
export function maxRecordingSeconds({ facts: { expected }, body }: ClientRequest): number {
  return PLAUSIBLE_FACTOR * Math.max(expected?.usage.second ?? 0, body.length / BYTES_PER_SECOND_MIN);
}

function expectUsage(request: ClientRequest, meter: Meter): UsageExpectation {
  const { facts, operation } = request;
  const { inputTokensEstimate: prompt, maxOutputTokens, choices, imageTool, expected } = facts;
  const units = expected?.usage ?? emptyUsage();
  const delivered = estimateOutput(request, meter);
  if (operation === 'transcription')
    return expectTranscriptionUsage(prompt, maxRecordingSeconds(request) / PLAUSIBLE_FACTOR, delivered);
  if (operation === 'chat' || operation === 'completions') {
    const cap = Math.min(maxOutputTokens ?? OUTPUT_DEFAULT, OUTPUT_MAX);
    const chat = expectChatUsage(prompt, Math.max(cap * choices, delivered), choices);
    return { ...chat, hiddenOutput: chat.hiddenOutput + (imageTool?.usage.imageOutput ?? 0) };
  }
  const output = Math.max((maxOutputTokens ?? 0) * choices, delivered);
  const { search, second, character } = units;
  const media = units.imageInput + units.audioInput;
  return { ...expectChatUsage(prompt + media, output), hiddenOutput: 0, search, second, character };
}

/** The one table of bounds. */
function computeBounds(expected: UsageExpectation): Record<UsageCounterName, number> {
  const prompt = PLAUSIBLE_FACTOR * (expected.prompt + expected.hiddenPrompt);
  const output = PLAUSIBLE_FACTOR * (expected.output + expected.hiddenOutput);
  return {
    input: prompt,
    cachedRead: prompt,
    cacheWrite5m: prompt,
    cacheWrite1h: prompt,
    audioInput: prompt,
    imageInput: prompt,
    output,
    reasoning: output,
    audioOutput: output,
    imageOutput: output,
    webSearch: PLAUSIBLE_FACTOR * CALLS,
    mapsGrounding: PLAUSIBLE_FACTOR * CALLS,
    codeExecution: PLAUSIBLE_FACTOR * CALLS,
    fileSearch: PLAUSIBLE_FACTOR * CALLS,
    search: PLAUSIBLE_FACTOR * expected.search,
    // They are counted in the response itself.
    image: Number.POSITIVE_INFINITY,
    second: PLAUSIBLE_FACTOR * expected.second,
    character: PLAUSIBLE_FACTOR * expected.character,
  };
}
