/** Which channels rest after a failure, and how often in a row an account looked broken. In memory only. */
import type { Clock } from '../platform/clock.ts';

export interface ChannelHealth {
  isResting(channelId: number, model: string): boolean;
  /** UTC milliseconds. */
  restsUntil(channelId: number, model: string): number;
  rest(channelId: number, model: string, forMs: number): void;
  /** Counts a failure of the key or account; returns how many came in a row. */
  accountFailed(channelId: number): number;
  answered(channelId: number): void;
}

export function createChannelHealth(clock: Clock): ChannelHealth {
  const restUntil = new Map<string, number>();
  const accountFailures = new Map<number, number>();
  const name = (channelId: number, model: string): string => `${channelId} ${model}`;
  const restsUntil = (channelId: number, model: string): number => {
    if (restUntil.size === 0) return 0;
    return restUntil.get(name(channelId, model)) ?? 0;
  };
  return {
    restsUntil,
    isResting: (channelId, model) => restsUntil(channelId, model) > clock.now(),
    rest(channelId, model, forMs) {
      const now = clock.now();
      for (const [known, until] of restUntil) if (until <= now) restUntil.delete(known);
      restUntil.set(name(channelId, model), now + forMs);
    },
    accountFailed(channelId) {
      const count = (accountFailures.get(channelId) ?? 0) + 1;
      accountFailures.set(channelId, count);
      return count;
    },
    answered(channelId) {
      if (accountFailures.size > 0) accountFailures.delete(channelId);
    },
  };
}
