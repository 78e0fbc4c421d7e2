/** Rotation of a channel's keys: attempts use them round-robin, and keys in cooldown are skipped. */
import type { ChannelHealth, LoadedKey } from '../../channels/registry/registry.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';

export interface KeyRotation {
  /**
   * The one that was not used for the longest time, or the one that recovers first when all rest.
   * @param preferred taken if it may be
   * @returns undefined when each was tried
   */
  next(channel: ChannelState, model: string, tried: ReadonlySet<string>, preferred?: string): LoadedKey | undefined;
  /** An attempt is made with the key; what is only looked at keeps its turn. */
  recordAttempt(key: LoadedKey): void;
  /** UTC ms until which each key that was not tried rests; 0 when one may be used, or none is left. */
  cooldownUntil(channel: ChannelState, model: string, tried: ReadonlySet<string>): number;
}

export function createKeyRotation(health: ChannelHealth): KeyRotation {
  let attempts = 0;
  /** The number of each key's last attempt. A channel that is changed has new keys, and begins anew. */
  const usedAt = new WeakMap<LoadedKey, number>();

  const lastUse = (key: LoadedKey): number => usedAt.get(key) ?? 0;
  const leastRecentlyUsed = (keys: readonly LoadedKey[]): LoadedKey =>
    keys.reduce((longest, key) => (lastUse(key) < lastUse(longest) ? key : longest));
  const cooldownOf = ({ id }: ChannelState, model: string, key: LoadedKey): number =>
    health.getKeyCooldownEnd(id, model, key.id);

  return {
    next(channel, model, tried, preferred) {
      const left = channel.keys.filter(({ id }) => !tried.has(id));
      if (left.length < 2) return left[0];
      const free = left.filter((key) => cooldownOf(channel, model, key) === 0);
      if (free.length === 0)
        return left.toSorted((a, b) => cooldownOf(channel, model, a) - cooldownOf(channel, model, b))[0];
      return free.find(({ id }) => id === preferred) ?? leastRecentlyUsed(free);
    },
    recordAttempt(key) {
      attempts += 1;
      usedAt.set(key, attempts);
    },
    cooldownUntil(channel, model, tried) {
      const left = channel.keys.filter(({ id }) => !tried.has(id));
      return left.length === 0 ? 0 : Math.min(...left.map((key) => cooldownOf(channel, model, key)));
    },
  };
}
