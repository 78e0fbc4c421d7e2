/**
 * Bounds of what an upstream may report, for every counter of every dialect, so that one wrong number does not become a
 * charge.
 */
import { recordingUsage } from '../media/recording-usage.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Meter } from '../model/format.ts';
import { copyOfMeter, estimatedOutput } from '../model/meter.ts';
import {
  type Disputed,
  emptyUsage,
  promptCounters,
  type TokenCounter,
  tokenCounters,
  type Usage,
  type UsageCounter,
  usageCounters,
} from '../model/usage.ts';
import { readsMore } from '../tokens/reads-more.ts';

/** A counter is believed up to this many times of what is expected of it; more is a mistake, such as milliseconds. */
export const TIMES_MAX = 10;

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
export interface Expectation {
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
export function plausibleMeter(request: ClientRequest, meter: Meter): Meter {
  const { usage: reported } = meter;
  if (reported === undefined) return meter;
  const expected = expectationOf(request, meter);
  const usage = plausibleUsage(reported, expected, () => readsMore(request.json));
  return usage === reported ? meter : { ...copyOfMeter(meter), usage };
}

/**
 * Returns the usage without what is not plausible: without disputed tokens beyond `TIMES_MAX` times of what can be seen,
 * and then without counters beyond as many times of all that is expected. Such a counter counts as not reported.
 * @param mayReadMore asked only about a prompt that is too large without it
 */
export function plausibleUsage(
  reported: Usage,
  expected: Expectation,
  mayReadMore: () => boolean = () => false,
): Usage {
  const { disputed, others, ...usage } = reported;
  const implausible = new Set<UsageCounter>(usage.implausible);
  for (const counter of disputedBeyond(disputed, expected)) {
    usage[counter] -= disputed?.[counter] ?? 0;
    implausible.add(counter);
  }
  const bounds = boundsOf(expected);
  const isPromptBeyond = promptCounters.some((counter) => usage[counter] > bounds[counter]);
  const widest =
    isPromptBeyond && mayReadMore() ? boundsOf({ ...expected, hiddenPrompt: REFERENCED_PROMPT }) : bounds;
  for (const counter of usageCounters) {
    if (usage[counter] <= widest[counter]) continue;
    usage[counter] = 0;
    implausible.add(counter);
  }
  const believed = others?.map((other) => ({
    ...other,
    usage: plausibleUsage(other.usage, expected, mayReadMore),
  }));
  return {
    ...usage,
    ...(believed !== undefined && { others: believed }),
    ...(implausible.size > 0 && { implausible: [...implausible] }),
  };
}

function disputedBeyond(disputed: Disputed = {}, { prompt, output }: Expectation): TokenCounter[] {
  const isPrompt = new Set<TokenCounter>(promptCounters);
  return tokenCounters.filter((counter) => {
    const seen = isPrompt.has(counter) ? prompt + INSTRUCTIONS : output;
    return (disputed[counter] ?? 0) > TIMES_MAX * seen;
  });
}

/** Returns what is expected of a response that a model writes for a prompt of the client's. */
export function expectationOfChat(prompt: number, output: number, choices = 1): Expectation {
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
export function expectationOfRecording(prompt: number, second: number, output = 0): Expectation {
  const heard = recordingUsage(second);
  return {
    ...expectationOfChat(prompt + heard.audioInput, Math.max(output, heard.output)),
    hiddenOutput: 0,
    second,
  };
}

/** Returns the longest that the recording of a request can be, whatever its header states. */
export function recordingSecondsMax({ facts: { expected }, body }: ClientRequest): number {
  return TIMES_MAX * Math.max(expected?.usage.second ?? 0, body.length / BYTES_PER_SECOND_MIN);
}

function expectationOf(request: ClientRequest, meter: Meter): Expectation {
  const { facts, operation } = request;
  const { inputTokensEstimate: prompt, maxOutputTokens, choices, imageTool, expected } = facts;
  const units = expected?.usage ?? emptyUsage();
  const delivered = estimatedOutput(request, meter);
  if (operation === 'transcription')
    return expectationOfRecording(prompt, recordingSecondsMax(request) / TIMES_MAX, delivered);
  if (operation === 'chat' || operation === 'completions') {
    const cap = Math.min(maxOutputTokens ?? OUTPUT_DEFAULT, OUTPUT_MAX);
    const chat = expectationOfChat(prompt, Math.max(cap * choices, delivered), choices);
    return { ...chat, hiddenOutput: chat.hiddenOutput + (imageTool?.usage.imageOutput ?? 0) };
  }
  const output = Math.max((maxOutputTokens ?? 0) * choices, delivered);
  const { search, second, character } = units;
  const media = units.imageInput + units.audioInput;
  return { ...expectationOfChat(prompt + media, output), hiddenOutput: 0, search, second, character };
}

/** The one table of bounds. */
function boundsOf(expected: Expectation): Record<UsageCounter, number> {
  const prompt = TIMES_MAX * (expected.prompt + expected.hiddenPrompt);
  const output = TIMES_MAX * (expected.output + expected.hiddenOutput);
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
    webSearch: TIMES_MAX * CALLS,
    mapsGrounding: TIMES_MAX * CALLS,
    codeExecution: TIMES_MAX * CALLS,
    fileSearch: TIMES_MAX * CALLS,
    search: TIMES_MAX * expected.search,
    // They are counted in the response itself.
    image: Number.POSITIVE_INFINITY,
    second: TIMES_MAX * expected.second,
    character: TIMES_MAX * expected.character,
  };
}
