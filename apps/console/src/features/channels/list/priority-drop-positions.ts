import type { PriorityTier } from '@switchyard/contract/channels/bulk-edits-and-import';
import type { ChannelId } from '@switchyard/contract/ids';

export const PRIORITY_MAX = 1_000_000;

/** Position for a channel: among those of a priority, or between two adjacent priorities of the list. */
export type PriorityPosition =
  | { kind: 'among'; priority: number }
  | { kind: 'between'; above: number | undefined; below: number | undefined };

/** First and last row of one priority in a list sorted by priority. */
interface Block {
  priority: number;
  first: number;
  last: number;
}

/** @param priorities of the rows in order, highest first */
export function blocksOf(priorities: readonly number[]): Block[] {
  const blocks: Block[] = [];
  for (const [row, priority] of priorities.entries()) {
    const block = blocks.at(-1);
    if (block?.priority === priority) block.last = row;
    else blocks.push({ priority, first: row, last: row });
  }
  return blocks;
}

/** Returns every drop position of the rows, from top to bottom. */
export function positionsOf(blocks: readonly Block[]): PriorityPosition[] {
  const places = blocks.flatMap(({ priority }, index): PriorityPosition[] => [
    { kind: 'between', above: blocks[index - 1]?.priority, below: priority },
    { kind: 'among', priority },
  ]);
  const lowest = blocks.at(-1);
  return lowest === undefined ? [] : [...places, { kind: 'between', above: lowest.priority, below: undefined }];
}

/**
 * Returns the smallest set of priority changes that moves a channel to a position. If no number is free
 * between two priorities, the consecutive ones above move up by one or those below move down, whichever are
 * fewer.
 * @param ranks of all channels, highest first
 * @returns empty when the channel is already there or no number can be freed
 */
export function prioritiesFor(
  ranks: readonly PriorityTier[],
  id: ChannelId,
  place: PriorityPosition,
): ReadonlyMap<ChannelId, number> {
  const own = ranks.find(({ ids }) => ids.includes(id))?.priority;
  if (place.kind === 'among') return own === place.priority ? new Map() : new Map([[id, place.priority]]);
  const others = ranks
    .map(({ priority, ids }) => ({ priority, ids: ids.filter((other) => other !== id) }))
    .filter(({ ids }) => ids.length > 0);
  const under = place.below ?? (place.above ?? 0) - 1;
  const upper = others.filter(({ priority }) => priority > under).toReversed();
  const lower = others.filter(({ priority }) => priority <= under);
  const ceiling = upper[0]?.priority ?? PRIORITY_MAX + 1;
  const floor = lower[0]?.priority ?? -1;
  if (own !== undefined && own > floor && own < ceiling) return new Map();
  if (ceiling - floor > 1) return new Map([[id, numberBetween(floor, ceiling, upper.length > 0, lower.length > 0)]]);
  const ways = [shifted(upper, 1), shifted(lower, -1)].filter((way) => way !== undefined);
  const [way] = ways.toSorted((a, b) => a.moved.size - b.moved.size);
  return way === undefined ? new Map() : new Map([...way.moved, [id, way.freed]]);
}

/** Returns a priority next to the only neighbour or halfway between two. */
function numberBetween(floor: number, ceiling: number, hasUpper: boolean, hasLower: boolean): number {
  if (!hasUpper) return floor + 1;
  if (!hasLower) return ceiling - 1;
  return Math.floor((floor + ceiling) / 2);
}

/** Moves consecutive priorities by one to free the nearest number; undefined when that is impossible. */
function shifted(
  ranks: readonly PriorityTier[],
  by: 1 | -1,
): { moved: Map<ChannelId, number>; freed: number } | undefined {
  const [nearest] = ranks;
  if (nearest === undefined) return undefined;
  const moved = new Map<ChannelId, number>();
  let next = nearest.priority;
  for (const { priority, ids } of ranks) {
    if (priority !== next) break;
    next += by;
    for (const id of ids) moved.set(id, next);
  }
  return next < 0 || next > PRIORITY_MAX ? undefined : { moved, freed: nearest.priority };
}
