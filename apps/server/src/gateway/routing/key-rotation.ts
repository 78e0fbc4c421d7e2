/** Rotation of a channel's keys: attempts use them round-robin, and keys in cooldown are skipped. */
import type { ChannelHealth, LoadedKey } from '../../channels/registry/registry.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';

export interface KeyRotation {
  /**
   * The one that was not used for the longest time, or the one that recovers first when all rest.
   * @param preferred taken if it may be
   * @returns undefined when each was tried
   */
  next(
    channel: ChannelState,
    model: string,
    tried: ReadonlySet<string>,
    preferred?: string,
  ): LoadedKey | undefined;
  /** An attempt is made with the key; what is only looked at keeps its turn. */
  noteAttempt(key: LoadedKey): void;
  /** UTC ms until which each key that was not tried rests; 0 when one may be used, or none is left. */
  restsUntil(channel: ChannelState, model: string, tried: ReadonlySet<string>): number;
}

export function createKeyRotation(health: ChannelHealth): KeyRotation {
  let attempts = 0;
  /** The number of each key's last attempt. A channel that is changed has new keys, and begins anew. */
  const usedAt = new WeakMap<LoadedKey, number>();

  const lastUse = (key: LoadedKey): number => usedAt.get(key) ?? 0;
  const inTurn = (keys: readonly LoadedKey[]): LoadedKey =>
    keys.reduce((longest, key) => (lastUse(key) < lastUse(longest) ? key : longest));
  const restOf = ({ id }: ChannelState, model: string, key: LoadedKey): number =>
    health.keyRestsUntil(id, model, key.id);

  return {
    next(channel, model, tried, preferred) {
      const left = channel.keys.filter(({ id }) => !tried.has(id));
      if (left.length < 2) return left[0];
      const free = left.filter((key) => restOf(channel, model, key) === 0);
      if (free.length === 0)
        return left.toSorted((a, b) => restOf(channel, model, a) - restOf(channel, model, b))[0];
      return free.find(({ id }) => id === preferred) ?? inTurn(free);
    },
    noteAttempt(key) {
      attempts += 1;
      usedAt.set(key, attempts);
    },
    restsUntil(channel, model, tried) {
      const left = channel.keys.filter(({ id }) => !tried.has(id));
      return left.length === 0 ? 0 : Math.min(...left.map((key) => restOf(channel, model, key)));
    },
  };
}
