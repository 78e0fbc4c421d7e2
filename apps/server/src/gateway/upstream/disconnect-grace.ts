/**
 * Limits how long a stream is drained after its client has disconnected, to learn the usage. The minimum is short, so
 * that disconnecting after the last words saves nothing. It is a minute if a provider is known to bill hidden
 * reasoning: otherwise a client that disconnects before the report would get it for free.
 */
import { type ClientRequest, countedUsage, type Meter } from '@switchyard/relay';
import { createBoundedMap } from '../../platform/caches.ts';

export interface DrainBudget {
  /** Learns from a response with reported usage. */
  recordUsage(channelId: number, upstreamModel: string, request: ClientRequest, meter: Meter): void;
  /** @param channelMs channel's setting; 0 for no draining @returns milliseconds */
  getDrainMs(channelId: number, upstreamModel: string, channelMs: number): number;
}

/** With the sweep's delay, at most about a second. */
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
