/**
 * Time for which a stream is drained after its client has disconnected, to learn the usage. It is always a moment, so
 * that disconnecting after the last word saves nothing. It is a minute if a provider is known to bill hidden
 * reasoning: else a client that disconnects before the report gets it for free.
 */
import { type ClientRequest, countedUsage, type Meter } from '@switchyard/relay';
import { createBoundedMap } from '../../platform/caches.ts';

export interface DrainBudget {
  /** Learns from an answer whose usage was reported. */
  recordUsage(channelId: number, upstreamModel: string, request: ClientRequest, meter: Meter): void;
  /** @param channelMs what the operator set for the channel; 0: nothing @returns milliseconds */
  getDrainMs(channelId: number, upstreamModel: string, channelMs: number): number;
}

/** A client that left costs its upstream at most a second more. */
const MOMENT_MS = 600;
const HIDDEN_MS = 60_000;
const PAIRS_MAX = 10_000;

export function createDrainBudget(): DrainBudget {
  const hiding = createBoundedMap<string, true>(PAIRS_MAX);
  return {
    recordUsage(channelId, upstreamModel, request, meter) {
      if (hidesReasoning(request, meter)) hiding.set(`${channelId} ${upstreamModel}`, true);
    },
    getDrainMs(channelId, upstreamModel, channelMs) {
      if (channelMs > 0) return channelMs;
      return hiding.has(`${channelId} ${upstreamModel}`) ? HIDDEN_MS : MOMENT_MS;
    },
  };
}

/** The text explains less than half of what was reported: estimates are not that far off. */
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
