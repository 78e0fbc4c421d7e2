/**
 * Limits how long a stream is drained after its client has disconnected, or after the gateway has ended the response
 * (lost rights, content that is not allowed), to learn the usage. The minimum is short, so that disconnecting after the
 * last words saves nothing. A stream is drained to its end if only the report there has the cost: hidden reasoning,
 * files that the vendor reads, searches. Otherwise a client that disconnects before the report, or disables its own
 * token, would get them for free, and any shorter limit could be outlasted by a long response.
 *
 * A drained stream keeps its concurrency slots and its hold. The limit here holds also without concurrency limits:
 * a client that has left costs its sender nothing.
 */
import {
  type ClientRequest,
  countedUsage,
  type Exchange,
  type Meter,
  readsExternalContent,
  requestsMedia,
  usesVendorTools,
} from '@switchyard/relay';
import { type JsonObject, listOf, objectOf, textOf } from '@switchyard/relay/json';
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

export function createDrainBudget(): DrainBudget {
  const hiding = createBoundedMap<string, true>(PAIRS_MAX);
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
      if (hidesReasoning(request, meter) || hidesCalls(request, meter))
        hiding.set(`${channelId} ${upstreamModel}`, true);
    },
    startDrain(stream, meter) {
      const { userId, request, channel, upstreamModel } = stream;
      const { id, deadlines } = channel;
      // The operator's limit applies to all streams of the channel.
      if (deadlines.drainMs > 0) return createShortDrain(deadlines.drainMs);
      const isHiding = hiding.has(`${id} ${upstreamModel}`) || isKnownToHide(stream, meter);
      const needsReport = isHiding || isCostUnknown(request, meter);
      return needsReport ? startLongDrain(userId, deadlines.totalMs) : createShortDrain(MOMENT_MS);
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
function isKnownToHide(
  { upstreamModel, request, exchange }: DrainedStream,
  { usage, servedModel = '' }: Meter,
): boolean {
  // A name at the vendor may be a deployment's, and hide the model's.
  const names = [upstreamModel, request.facts.model, servedModel];
  // Claude 4 shows only a summary of its thoughts, and reports its output at the end.
  // https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-differences.html
  if (names.some((name) => /claude/i.test(name))) return exchange.enablesReasoning;
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
function isCostUnknown({ operation, json }: ClientRequest, { usage }: Meter): boolean {
  // An image is complete, and speech has its full length, only at the end.
  if (operation === 'images' || operation === 'speech') return true;
  if (usesVendorTools(json) || requestsMedia(json) || summarizesContext(json)) return true;
  const isPromptReported = usage !== undefined && promptTokens(usage) > 0;
  return !isPromptReported && readsExternalContent(json);
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

/**
 * Returns whether the text accounts for less than half of the reported usage, which exceeds the error of estimates.
 */
function hidesReasoning(request: ClientRequest, meter: Meter): boolean {
  const { usage, finished, deliveredCharacters, deliveredWideCharacters } = meter;
  if (!finished || usage === undefined || usage.reasoning === 0) return false;
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
function hidesCalls(request: ClientRequest, { usage, finished }: Meter): boolean {
  if (request.operation !== 'chat' || !finished || usage === undefined) return false;
  if (unseenCounters.every((counter) => usage[counter] === 0)) return false;
  return !usesVendorTools(request.json) && !requestsMedia(request.json);
}
