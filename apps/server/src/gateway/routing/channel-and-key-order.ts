/** Order in which a request tries healthy channels of equal priority, and the keys of a channel. */
import type { RouteOrder } from '@switchyard/contract/accounts/user-groups';
import type { ChannelHealth, LoadedKey } from '../../channels/registry/registry.ts';
import type { VerdictReason } from '../../ledger/ledger.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';

/**
 * Function that returns the cost of a typical call with the model on a channel, in any unit; undefined if it is
 * unknown.
 */
export type GetChannelCost = (channel: ChannelState, model: string) => number | undefined;

/** Share of choices that ignore the order, so that the measurements of other channels stay current. */
const EXPLORATION_SHARE = 0.05;

export interface OrderOptions {
  health: ChannelHealth;
  costs?: GetChannelCost;
  random?: () => number;
}

/**
 * Orders channels as their group configures it: returns a function that returns the channel, its verdict and the verdict
 * of the others.
 * @param equals at least two channels
 */
export function createChannelOrder({ health, costs, random = Math.random }: OrderOptions) {
  const byWeight = (equals: readonly ChannelState[]): ChannelState => {
    const [first, ...others] = equals;
    if (first === undefined) throw new RangeError('There is nothing to choose from');
    if (others.length === 0) return first;
    const total = equals.reduce((sum, channel) => sum + channel.weight, 0);
    let rest = random() * total;
    return equals.find((channel) => (rest -= channel.weight) < 0) ?? first;
  };

  return (
    equals: readonly ChannelState[],
    order: RouteOrder,
    model: string,
  ): readonly [ChannelState, VerdictReason, VerdictReason] => {
    if (order === 'weight' || random() < EXPLORATION_SHARE) return [byWeight(equals), 'chosen', 'outweighed'];
    if (order === 'latency') {
      // A channel without a measurement is tried first.
      const speed = (channel: ChannelState): number => health.get(channel.id, model).firstContentMs ?? 0;
      return [byWeight(findLowest(equals, speed)), 'fastest', 'slower'];
    }
    const cost = (channel: ChannelState): number => costs?.(channel, model) ?? Number.POSITIVE_INFINITY;
    return [byWeight(findLowest(equals, cost)), 'cheapest', 'dearer'];
  };
}

function findLowest(channels: readonly ChannelState[], value: (channel: ChannelState) => number): ChannelState[] {
  const least = Math.min(...channels.map(value));
  return channels.filter((channel) => value(channel) === least);
}

/** Rotation of a channel's keys: attempts use them round-robin, skipping keys in cooldown. */
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
