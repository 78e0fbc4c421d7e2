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

/** Share of a row's height at its edge that means the position between two priorities. */
const EDGE = 0.3;
/**
 * Distance in pixels from the scroller's edge within which dragging scrolls, and the step of each movement.
 */
const SCROLL_EDGE = 48;
const SCROLL_STEP = 16;

/** Returns the table rows that contain a drag handle, from top to bottom. */
export function rowsOf(around: HTMLElement | null): HTMLElement[] {
  return [...(around?.querySelectorAll('[data-priority-handle]') ?? [])].flatMap(
    (handle) => handle.closest<HTMLElement>('tr') ?? [],
  );
}

/** Returns the index of the drop position at this height: among a block's rows or at an edge of the block. */
export function dropPositionAt(
  rows: readonly HTMLElement[],
  blocks: ReturnType<typeof blocksOf>,
  clientY: number,
): number {
  const under = rows.findIndex((row) => clientY < row.getBoundingClientRect().bottom);
  const at = under === -1 ? rows.length - 1 : under;
  const index = blocks.findIndex(({ last }) => at <= last);
  const [block, row] = [blocks[index], rows[at]];
  if (block === undefined || row === undefined) return -1;
  const { top, height } = row.getBoundingClientRect();
  const part = (clientY - top) / height;
  const among = 2 * index + 1;
  if (at === block.first && part < EDGE) return among - 1;
  return at === block.last && part > 1 - EDGE ? among + 1 : among;
}

/**
 * Returns the box of a drop position in viewport pixels: the rows of a priority, or a line of height 0.
 * @param isShown whether to scroll the position into view
 */
export function frameOf(
  rows: readonly HTMLElement[],
  blocks: ReturnType<typeof blocksOf>,
  at: number,
  isShown: boolean,
): { left: number; width: number; top: number; height: number } {
  const isAmong = at % 2 === 1;
  const isBelowAll = at === 2 * blocks.length;
  const block = blocks[Math.floor(at / 2)] ?? blocks.at(-1);
  const [first, last] = [rows[block?.first ?? -1], rows[block?.last ?? -1]];
  const scroller = scrollerOf(rows);
  if (first === undefined || last === undefined || scroller === undefined)
    return { left: 0, width: 0, top: 0, height: 0 };
  if (isShown) (isBelowAll ? last : first).scrollIntoView({ block: 'nearest' });
  const { left, width, top, bottom } = scroller.getBoundingClientRect();
  const inside = (y: number): number => Math.min(Math.max(y, top), bottom);
  const [start, end] = [first.getBoundingClientRect().top, last.getBoundingClientRect().bottom];
  const from = inside(isBelowAll ? end : start);
  return { left, width, top: from, height: isAmong ? inside(end) - from : 0 };
}

function scrollerOf(rows: readonly HTMLElement[]): HTMLElement | undefined {
  return rows[0]?.closest('table')?.parentElement ?? undefined;
}

/** Scrolls by one step while the pointer is near an edge. */
export function scrollAlong(rows: readonly HTMLElement[], clientY: number): void {
  const scroller = scrollerOf(rows);
  if (scroller === undefined) return;
  const { top, bottom } = scroller.getBoundingClientRect();
  if (clientY < top + SCROLL_EDGE) scroller.scrollBy(0, -SCROLL_STEP);
  else if (clientY > bottom - SCROLL_EDGE) scroller.scrollBy(0, SCROLL_STEP);
}
