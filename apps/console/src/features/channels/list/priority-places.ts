import type { PriorityTier } from '@switchyard/contract/channels/channel-edits';
import type { ChannelId } from '@switchyard/contract/ids';

export const PRIORITY_MAX = 1_000_000;

/** Place for a channel: among those of a priority, or between two adjacent priorities of the list. */
export type PriorityPosition =
  | { kind: 'among'; priority: number }
  | { kind: 'between'; above: number | undefined; below: number | undefined };

/** The rows of one priority, of a list by priority: the first and the last. */
interface Block {
  priority: number;
  first: number;
  last: number;
}

/** @param priorities of the rows as they stand, highest first */
export function blocksOf(priorities: readonly number[]): Block[] {
  const blocks: Block[] = [];
  for (const [row, priority] of priorities.entries()) {
    const block = blocks.at(-1);
    if (block?.priority === priority) block.last = row;
    else blocks.push({ priority, first: row, last: row });
  }
  return blocks;
}

/** Every place that these rows offer, from above them to below. */
export function positionsOf(blocks: readonly Block[]): PriorityPosition[] {
  const places = blocks.flatMap(({ priority }, index): PriorityPosition[] => [
    { kind: 'between', above: blocks[index - 1]?.priority, below: priority },
    { kind: 'among', priority },
  ]);
  const lowest = blocks.at(-1);
  return lowest === undefined
    ? []
    : [...places, { kind: 'between', above: lowest.priority, below: undefined }];
}

/**
 * The fewest changes of priorities that put a channel there. Where two priorities follow each other without a number
 * between them, those above move up by one, or those below down, as far as they are without a gap: whichever are fewer.
 * @param ranks of all channels, highest first
 * @returns empty when it is there already
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
  if (ceiling - floor > 1)
    return new Map([[id, numberBetween(floor, ceiling, upper.length > 0, lower.length > 0)]]);
  const ways = [shifted(upper, 1), shifted(lower, -1)].filter((way) => way !== undefined);
  const [way] = ways.toSorted((a, b) => a.moved.size - b.moved.size);
  return way === undefined ? new Map() : new Map([...way.moved, [id, way.freed]]);
}

/** Returns a priority beside the only neighbour, or in the middle of two. */
function numberBetween(floor: number, ceiling: number, hasUpper: boolean, hasLower: boolean): number {
  if (!hasUpper) return floor + 1;
  if (!hasLower) return ceiling - 1;
  return Math.floor((floor + ceiling) / 2);
}

/** Ranks, the nearest first, that move by one as long as no number is free; undefined when there is none. */
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
