/** Rotates a channel's keys: attempts use them round-robin, skipping keys in cooldown. */
import type { ChannelHealth, LoadedKey } from '../../channels/registry/registry.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';

export interface KeyRotation {
  /**
   * Returns the least recently used key, or the one that recovers first when all are in cooldown.
   * @param preferred used if it is available
   * @returns undefined when each was tried
   */
  next(channel: ChannelState, model: string, tried: ReadonlySet<string>, preferred?: string): LoadedKey | undefined;
  /** Records an attempt with the key; only attempts advance the rotation. */
  recordAttempt(key: LoadedKey): void;
  /** Returns the UTC ms until which all untried keys are in cooldown; 0 when one is available, or none is left. */
  cooldownUntil(channel: ChannelState, model: string, tried: ReadonlySet<string>): number;
}

export function createKeyRotation(health: ChannelHealth): KeyRotation {
  let attempts = 0;
  /** Number of each key's last attempt. A changed channel has new keys, and restarts its rotation. */
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
