import type { Price } from '@switchyard/contract/prices';
import { useTranslation } from 'react-i18next';
import { notify } from '../../ui/notices.ts';
import { useUndoable } from '../../ui/use-undoable.ts';
import { useRemovePrices, useUpdatePrice } from './queries.ts';

/** Locks, unlocks (can be undone) and deletes prices, and says what came of it. */
export function usePriceActions() {
  const { t } = useTranslation('prices');
  const undoable = useUndoable();
  const { mutateAsync: sendUpdate } = useUpdatePrice();
  const { mutateAsync: sendRemoval } = useRemovePrices();

  const setLocked = ({ model, type, channel_type, rates }: Price, locked: boolean) => {
    const body = { model, type, channel_type, rates };
    return undoable({
      send: sendUpdate,
      to: { model, body: { ...body, locked } },
      back: { model, body: { ...body, locked: !locked } },
      done: t(locked ? 'lockedName' : 'unlockedName', { model }),
    });
  };

  const remove = async (prices: readonly Price[]) => {
    const count = await sendRemoval(prices.map(({ model }) => model));
    notify('success', t('deletedCount', { count }));
  };

  return { setLocked, remove };
}
