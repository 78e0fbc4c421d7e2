/** Messages by which a node reports a channel's failures to the other nodes. */
import { parseJson } from '@switchyard/relay/json';
import type { Clock } from '../../platform/clock.ts';
import type { SharedLimits } from '../../platform/limits/shared-limits.ts';
import type { AttemptRecorder, HealthEntry } from './attempt-recorder.ts';

interface HealthEvent {
  channelId: number;
  kind: HealthEventKind;
  /** Null for the whole channel. */
  keyId: string | null;
  model: string;
}

/** `rest` for a cooldown, `open` for an opened circuit breaker. */
type HealthEventKind = 'rest' | 'open';

export function formatHealthEvent(
  channelId: number,
  trouble: HealthEventKind,
  keyId: string | null,
  model: string,
): string {
  return JSON.stringify([channelId, trouble, keyId, model]);
}

/** Returns the prefix of all messages about a channel; the prefix alone reports its recovery. */
export function getChannelEventPrefix(channelId: number): string {
  return `[${channelId},`;
}

/** @param over called when a channel has recovered */
export function subscribeToHealthEvents(
  shared: SharedLimits,
  over: (channelId: number) => void,
  receive: (news: HealthEvent, forMs: number) => void,
): void {
  shared.subscribeToTexts((text, forMs) => {
    const [, id] = /^\[(\d+),$/.exec(text) ?? [];
    if (id !== undefined) return over(Number(id));
    const news = parseHealthEvent(text);
    if (news !== undefined) receive(news, forMs);
  });
}

/** @returns undefined for an unknown message, such as a later version's */
function parseHealthEvent(text: string): HealthEvent | undefined {
  const parsed = parseJson(text);
  const [channelId, trouble, keyId, model] = Array.isArray(parsed) ? parsed : [];
  const isKnown = typeof channelId === 'number' && (trouble === 'rest' || trouble === 'open');
  if (!isKnown || typeof model !== 'string') return undefined;
  return { channelId, kind: trouble, keyId: typeof keyId === 'string' ? keyId : null, model };
}

interface CooldownSource {
  shared: SharedLimits;
  clock: Clock;
  entry: HealthEntry;
}

/** Wraps a recorder so that other nodes are notified when an outcome opens the circuit breaker. */
export function withCooldownEvents({ shared, clock, entry }: CooldownSource, watch: AttemptRecorder): AttemptRecorder {
  if (shared.isUp === undefined) return watch;
  const { circuitBreaker, channelId, model } = entry;
  const noting = <T>(note: () => T): T => {
    const before = circuitBreaker.openUntil;
    const result = note();
    const forMs = circuitBreaker.openUntil - clock.now();
    if (circuitBreaker.openUntil > before && forMs > 0)
      shared.publishText(formatHealthEvent(channelId, 'open', null, model), forMs);
    return result;
  };
  return {
    ...watch,
    recordFailure: () => noting(() => watch.recordFailure()),
    recordRateLimit: () => noting(() => watch.recordRateLimit()),
    recordAccountError: () => noting(() => watch.recordAccountError()),
    recordRefusal: () => noting(() => watch.recordRefusal()),
  };
}
