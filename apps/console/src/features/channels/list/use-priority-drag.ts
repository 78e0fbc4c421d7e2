import type { Channel } from '@switchyard/contract/channels/channels';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { ranksQuery, useBulkEdit } from '../bulk-edit/bulk-calls-and-undo.ts';
import { blocksOf, type PriorityPosition, positionsOf, prioritiesFor } from './priority-drop-positions.ts';

/** Channel that is being dragged. */
interface Dragged {
  channel: Channel;
  by: 'pointer' | 'keyboard';
  /** Index of the drop position. */
  at: number;
  /** List at the start of the drag; a refetched list may have another order, which ends the drag. */
  among: readonly Channel[];
}

/**
 * Drags a row to another priority and saves the priorities that this requires.
 * @param around element that contains the rows
 */
export function usePriorityDrag(channels: readonly Channel[], around: RefObject<HTMLElement | null>) {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const notifyError = useNotifyError();
  const edit = useBulkEdit();
  const [taken, setDragged] = useState<Dragged>();
  const dragged = taken?.among === channels ? taken : undefined;
  const [said, setSaid] = useState('');
  const blocks = blocksOf(channels.map(({ priority }) => priority));
  const places = positionsOf(blocks);

  const sentenceOf = (place: PriorityPosition): string => {
    if (place.kind === 'among') return t('drag.among', { priority: place.priority });
    const { above, below } = place;
    if (above === undefined) return t('drag.above', { priority: below });
    return below === undefined ? t('drag.below', { priority: above }) : t('drag.between', { above, below });
  };
  const take = (channel: Channel, by: Dragged['by']) => {
    const at = places.findIndex((place) => place.kind === 'among' && place.priority === channel.priority);
    setDragged({ channel, by, at, among: channels });
    setSaid(by === 'keyboard' ? t('drag.taken', { name: channel.name }) : '');
  };
  const moveTo = (at: number) => {
    const place = places[at];
    if (dragged === undefined || place === undefined || at === dragged.at) return;
    setDragged({ ...dragged, at });
    setSaid(sentenceOf(place));
  };
  const leave = () => {
    if (dragged === undefined) return;
    setDragged(undefined);
    setSaid(t('drag.stays', { name: dragged.channel.name }));
  };
  const drop = async () => {
    const place = dragged && places[dragged.at];
    if (dragged === undefined || place === undefined) return;
    setDragged(undefined);
    setSaid('');
    const { id, name } = dragged.channel;
    try {
      // Priorities on other pages of the list matter too, and other users may have changed them.
      const ranks = await client.fetchQuery(ranksQuery);
      const priorities = prioritiesFor(ranks, id, place);
      const priority = priorities.get(id);
      if (priority === undefined) return setSaid(t('drag.stays', { name }));
      const others = priorities.size - 1;
      const done = t('drag.done', { name, priority });
      await edit(
        { where: { ids: [...priorities.keys()] }, change: { priorities: Object.fromEntries(priorities) } },
        others === 0 ? done : `${done} ${t('drag.madeRoom', { count: others })}`,
      );
    } catch (error) {
      notifyError(error);
    }
  };
  const place = dragged && places[dragged.at];
  return {
    dragged,
    rows: () => rowsOf(around.current),
    blocks,
    /** Description of the current drop position. */
    label: place && sentenceOf(place),
    said,
    take,
    moveTo,
    leave,
    drop,
  };
}

/** Share of a row's height at its edge that means the position between two priorities. */
const EDGE = 0.3;
/**
 * Distance in pixels from the scroller's edge within which dragging scrolls, and the step of each movement.
 */
const SCROLL_EDGE = 48;
const SCROLL_STEP = 16;

/** Returns the table rows that contain a drag handle, from top to bottom. */
function rowsOf(around: HTMLElement | null): HTMLElement[] {
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
