/** Orders healthy channels of equal priority as their group configures it. */
import type { RouteOrder } from '@switchyard/contract/accounts/user-groups';
import type { ChannelHealth } from '../../channels/registry/registry.ts';
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
 * Returns a function that returns the channel, its verdict and the verdict of the others. @param equals at least two
 * channels
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
