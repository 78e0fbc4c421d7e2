import type { Channel } from '@switchyard/contract/channels/channels';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { ranksQuery, useBulkEdit } from '../bulk-edit/bulk-calls-and-undo.ts';
import { blocksOf, type PriorityPosition, positionsOf, prioritiesFor, rowsOf } from './priority-drop-positions.ts';

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
