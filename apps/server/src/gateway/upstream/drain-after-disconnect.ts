/**
 * Limits how long a stream is drained after its client has disconnected, or after the gateway has ended the response
 * (lost rights, content that is not allowed), to learn the usage. The minimum is short, so that disconnecting after the
 * last words saves nothing. A stream is drained to its end if only the report there has the cost: hidden reasoning or
 * instructions, files that the vendor reads, searches. Otherwise a client that disconnects before the report, or disables its own
 * token, would get them for free, and any shorter limit could be outlasted by a long response.
 *
 * A drained stream keeps its concurrency slots and its hold. The limit here holds also without concurrency limits:
 * a client that has left costs its sender nothing.
 */
import {
  type ClientRequest,
  countedUsage,
  type Exchange,
  estimateToolCalls,
  type Meter,
  readsExternalContent,
  requestsMedia,
  usesVendorTools,
} from '@switchyard/relay';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '@switchyard/relay/json';
import { outputTokens, promptTokens, type Usage } from '@switchyard/relay/usage';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import { createBoundedMap } from '../../platform/caches.ts';

export interface DrainBudget {
  /** Learns from a response with reported usage. */
  recordUsage(channelId: number, upstreamModel: string, request: ClientRequest, meter: Meter): void;
  /** @param meter what was delivered and reported until the disconnect */
  startDrain(stream: DrainedStream, meter: Meter): Drain;
  /** Starts the drain of a realtime session whose responses were cancelled. */
  startSessionDrain(userId: number, { deadlines }: Pick<LoadedChannel, 'deadlines'>): Drain;
}

export interface DrainedStream {
  userId: number;
  request: ClientRequest;
  channel: Pick<LoadedChannel, 'id' | 'deadlines'>;
  /** Options of the channel. */
  options: Readonly<Record<string, string>>;
  upstreamModel: string;
  exchange: Pick<Exchange, 'enablesReasoning'>;
}

export interface Drain {
  /** Maximum milliseconds. */
  ms: number;
  /** Stops counting the drain against the user's limit; must be called once. */
  end(): void;
}

/** With the sweep's delay, at most about a second. */
const MOMENT_MS = 600;
/** Maximum wait for the reports of cancelled responses, which follow at once. */
const CANCELLED_MS = 5_000;
const PAIRS_MAX = 10_000;
/** Maximum streams and sessions of a user that are drained at the same time; others are drained for a moment. */
const LONG_DRAINS_MAX = 100;

/**
 * Streams of a channel and model that are left before the first complete response has shown whether the report has more
 * than the stream. The next ones are drained until one is complete.
 */
const UNPROVEN_MAX = 30;

/** Parts of the reported usage that the request and the stream of a channel and model don't show. */
interface HiddenUsage {
  output: boolean;
  prompt: boolean;
}

export function createDrainBudget(): DrainBudget {
  const hiding = createBoundedMap<string, HiddenUsage>(PAIRS_MAX);
  /** Channels and models with a complete response. */
  const proven = createBoundedMap<string, true>(PAIRS_MAX);
  /** Number of streams left before the first complete response, by channel and model. */
  const unproven = createBoundedMap<string, number>(PAIRS_MAX);
  const longDrains = new Map<number, number>();

  const startLongDrain = (userId: number, ms: number): Drain => {
    if ((longDrains.get(userId) ?? 0) >= LONG_DRAINS_MAX) return createShortDrain(Math.min(ms, MOMENT_MS));
    longDrains.set(userId, (longDrains.get(userId) ?? 0) + 1);
    return {
      ms,
      end() {
        const others = (longDrains.get(userId) ?? 1) - 1;
        if (others === 0) longDrains.delete(userId);
        else longDrains.set(userId, others);
      },
    };
  };

  return {
    recordUsage(channelId, upstreamModel, request, meter) {
      if (!meter.finished) return;
      const pair = `${channelId} ${upstreamModel}`;
      if (!proven.has(pair)) {
        proven.set(pair, true);
        unproven.delete(pair);
      }
      const known = hiding.get(pair);
      const output = known?.output === true || addsOutput(request, meter);
      const prompt = known?.prompt === true || addsToPrompt(request, meter);
      if (output || prompt) hiding.set(pair, { output, prompt });
    },
    startDrain(stream, meter) {
      const { userId, channel, upstreamModel } = stream;
      const { id, deadlines } = channel;
      // The operator's limit applies to all streams of the channel.
      if (deadlines.drainMs > 0) return createShortDrain(deadlines.drainMs);
      const pair = `${id} ${upstreamModel}`;
      const known = hiding.get(pair);
      const isHiding = known?.output === true || (known?.prompt === true && !isPromptReported(meter));
      if (isHiding || isKnownToHide(stream, meter) || isCostUnknown(stream, meter))
        return startLongDrain(userId, deadlines.totalMs);
      if (proven.has(pair)) return createShortDrain(MOMENT_MS);
      const left = unproven.get(pair) ?? 0;
      unproven.set(pair, left + 1);
      return left < UNPROVEN_MAX ? createShortDrain(MOMENT_MS) : startLongDrain(userId, deadlines.totalMs);
    },
    startSessionDrain(userId, { deadlines: { drainMs } }) {
      return startLongDrain(userId, drainMs > 0 ? Math.min(drainMs, CANCELLED_MS) : CANCELLED_MS);
    },
  };
}

function createShortDrain(ms: number): Drain {
  return { ms, end() {} };
}

/**
 * Models that bill reasoning which they don't show: OpenAI's, Gemini from 2.5 on, and Grok from 4 on.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens, https://ai.google.dev/gemini-api/docs/thinking,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/grok/capabilities/reasoning
 */
const hidingModels =
  /(?:^|[/.:])(?:o[1-9]|codex|gpt-(?:[5-9]|\d\d)(?!.*-chat)|gemini-(?:2\.5|[3-9])|grok-[4-9](?!.*non-reasoning))/i;

/**
 * Returns whether a model hides reasoning by its name, before a response of the channel has shown it. Otherwise the
 * first streams would get it for free, and all of a client that leaves every one.
 */
export function isKnownToHide(
  { upstreamModel, request, exchange }: Pick<DrainedStream, 'upstreamModel' | 'request' | 'exchange'>,
  { usage, servedModel = '' }: Pick<Meter, 'usage' | 'servedModel'> = { usage: undefined, servedModel: undefined },
): boolean {
  // A name at the vendor may be a deployment's, and hide the model's.
  const names = [upstreamModel, request.facts.model, servedModel];
  // Claude 4 shows only a summary of its thoughts, and Nova 2 none; both report their output at the end.
  // https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-differences.html,
  // https://docs.aws.amazon.com/nova/latest/nova2-userguide/reasoning-capabilities.html
  if (names.some((name) => /claude|nova-2/i.test(name))) return exchange.enablesReasoning;
  // Gemini reports its thoughts with its text.
  const isReported = usage !== undefined && outputTokens(usage) > 0;
  return !isReported && (names.some((name) => hidingModels.test(name)) || excludesReasoning(request.json));
}

/**
 * Returns whether the request keeps reasoning out of the response. It is billed nevertheless.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens, https://console.groq.com/docs/reasoning
 */
function excludesReasoning({ reasoning, include_reasoning, reasoning_format }: JsonObject): boolean {
  return objectOf(reasoning)['exclude'] === true || include_reasoning === false || reasoning_format === 'hidden';
}

/**
 * Returns whether neither the request nor the stream so far shows what the vendor bills. Anthropic and Gemini report
 * the prompt, with its files, before the end; the calls of vendor tools, and what they read, are known only there.
 */
function isCostUnknown({ request, options, upstreamModel }: DrainedStream, meter: Meter): boolean {
  const { operation, json } = request;
  // An image is complete, and speech has its full length, only at the end.
  if (operation === 'images' || operation === 'speech') return true;
  if (usesVendorTools(json) || requestsMedia(json) || summarizesContext(json)) return true;
  // Tokens of a predicted output that the model rejects are billed as output.
  // https://platform.openai.com/docs/guides/predicted-outputs
  if (isObject(json['prediction'])) return true;
  const hasSearched = meter.usage !== undefined && meter.usage.webSearch > 0;
  if (!hasSearched && estimateToolCalls(json, { options, model: upstreamModel }) > 0) return true;
  return !isPromptReported(meter) && readsExternalContent(json);
}

function isPromptReported({ usage }: Meter): boolean {
  return usage !== undefined && promptTokens(usage) > 0;
}

/**
 * Returns whether the vendor may summarize the conversation, which it bills in addition to the response.
 * https://platform.claude.com/docs/en/build-with-claude/compaction,
 * https://developers.openai.com/api/docs/guides/compaction
 */
function summarizesContext({ context_management }: JsonObject): boolean {
  const edits = [...listOf(context_management), ...listOf(objectOf(context_management)['edits'])];
  return edits.some((edit) => textOf(objectOf(edit)['type'])?.startsWith('compact') === true);
}

/** Returns whether the report has output that the response doesn't show. */
function addsOutput(request: ClientRequest, meter: Meter): boolean {
  return hidesReasoning(request, meter) || exceedsText(request, meter) || hidesCalls(request, meter);
}

/**
 * Returns whether the text accounts for less than half of the reported usage, which exceeds the error of estimates.
 */
function hidesReasoning(request: ClientRequest, meter: Meter): boolean {
  const { usage, finished, deliveredCharacters, deliveredWideCharacters } = meter;
  if (usage === undefined || usage.reasoning === 0) return false;
  const text = {
    usage: undefined,
    finished,
    deliveredCharacters,
    deliveredWideCharacters,
    deliveredSample: '',
    servedModel: undefined,
  };
  return countedUsage(request, text).output * 2 < usage.output + usage.reasoning;
}

/** Tokens that a vendor may add to a prompt or a response beside its text, for instance around calls. */
const OVERHEAD_TOKENS = 2_000;
/** Maximum tokens of a character. */
const WIDE_CHARACTER_TOKENS = 3;

/** Returns whether a chat billed more output than its text can have tokens, for vendors that don't report reasoning. */
function exceedsText({ operation }: ClientRequest, meter: Meter): boolean {
  const { usage, deliveredCharacters, deliveredWideCharacters } = meter;
  if (operation !== 'chat' || usage === undefined) return false;
  const most = deliveredCharacters + (WIDE_CHARACTER_TOKENS - 1) * deliveredWideCharacters;
  return usage.output + usage.reasoning > most + OVERHEAD_TOKENS;
}

/** Returns whether a chat billed a prompt of more tokens than the request has bytes: an app's own instructions. */
function addsToPrompt({ operation, body, json, billedJson, facts }: ClientRequest, { usage }: Meter): boolean {
  if (operation !== 'chat' || usage === undefined || billedJson !== undefined) return false;
  if (promptTokens(usage) <= body.length + OVERHEAD_TOKENS) return false;
  if (facts.imageTokensEstimate > 0 || (facts.audioTokensEstimate ?? 0) > 0) return false;
  return !usesVendorTools(json) && !requestsMedia(json) && !readsExternalContent(json);
}

/** Counters of a chat response that neither its prompt nor its text accounts for. */
const unseenCounters = [
  'webSearch',
  'mapsGrounding',
  'codeExecution',
  'fileSearch',
  'audioOutput',
  'imageOutput',
] as const satisfies readonly (keyof Usage)[];

/** Returns whether a chat model billed searches, audio or the like although the request enables none. */
function hidesCalls(request: ClientRequest, { usage }: Meter): boolean {
  if (request.operation !== 'chat' || usage === undefined) return false;
  if (unseenCounters.every((counter) => usage[counter] === 0)) return false;
  return !usesVendorTools(request.json) && !requestsMedia(request.json);
}
