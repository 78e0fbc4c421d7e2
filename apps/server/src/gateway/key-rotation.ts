/** Which of a channel's keys an attempt is made with: they take turns, and those that rest are left out. */
import type { ChannelHealth, LoadedKey } from '../features/channels/channels.ts';
import type { ChannelState } from './snapshot.ts';

export interface KeyRotation {
  /**
   * The next one in turn, or the one that recovers first when all rest.
   * @param preferred taken if it may be
   * @returns undefined when each was tried
   */
  next(
    channel: ChannelState,
    model: string,
    tried: ReadonlySet<string>,
    preferred?: string,
  ): LoadedKey | undefined;
  /** UTC ms until which each key that was not tried rests; 0 when one may be used, or none is left. */
  restsUntil(channel: ChannelState, model: string, tried: ReadonlySet<string>): number;
}

export function createKeyRotation(health: ChannelHealth): KeyRotation {
  /** Of channels with several keys, how many attempts were made. */
  const turns = new Map<number, number>();

  const inTurn = (channelId: number, keys: readonly LoadedKey[]): LoadedKey | undefined => {
    const turn = turns.get(channelId) ?? 0;
    turns.set(channelId, (turn + 1) % Number.MAX_SAFE_INTEGER);
    return keys[turn % keys.length];
  };
  const restOf = ({ id }: ChannelState, model: string, key: LoadedKey): number =>
    health.keyRestsUntil(id, model, key.id);

  return {
    next(channel, model, tried, preferred) {
      const left = channel.keys.filter(({ id }) => !tried.has(id));
      if (left.length < 2) return left[0];
      const free = left.filter((key) => restOf(channel, model, key) === 0);
      if (free.length === 0)
        return left.toSorted((a, b) => restOf(channel, model, a) - restOf(channel, model, b))[0];
      return free.find(({ id }) => id === preferred) ?? inTurn(channel.id, free);
    },
    restsUntil(channel, model, tried) {
      const left = channel.keys.filter(({ id }) => !tried.has(id));
      return left.length === 0 ? 0 : Math.min(...left.map((key) => restOf(channel, model, key)));
    },
  };
}
