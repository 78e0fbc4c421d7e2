import type { Price, PriceVersion } from '@switchyard/contract/catalog/prices';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../../ui/feedback/toasts.ts';
import { useUndoable } from '../../../../ui/feedback/use-undoable.ts';
import { useRemovePrices, useUpdatePrice } from '../queries.ts';

/** Returns actions that lock, unlock, restore (all with undo) and delete prices, and report the result. */
export function usePriceActions() {
  const { t } = useTranslation('prices');
  const undoable = useUndoable();
  const { mutateAsync: sendUpdate } = useUpdatePrice();
  const { mutateAsync: sendRemoval } = useRemovePrices();

  const setLocked = ({ model, type, channel_type, rates, image_rates, tiers, version }: Price, locked: boolean) => {
    const body = { model, type, channel_type, rates, image_rates, tiers };
    return undoable({
      send: sendUpdate,
      to: { model, body: { ...body, locked, version } },
      back: (done) => ({ model, body: { ...body, locked: !locked, version: done.version } }),
      done: t(locked ? 'lockedName' : 'unlockedName', { model }),
    });
  };

  /**
   * Restores an earlier version and locks the price, so that updates of the shipped list do not change it.
   */
  const restore = (price: Price, { type, rates, image_rates, tiers }: PriceVersion) => {
    const { model, channel_type, locked, version } = price;
    const now = { type: price.type, rates: price.rates, image_rates: price.image_rates, tiers: price.tiers };
    return undoable({
      send: sendUpdate,
      to: { model, body: { model, channel_type, type, rates, image_rates, tiers, locked: true, version } },
      back: (done) => ({ model, body: { model, channel_type, ...now, locked, version: done.version } }),
      done: t('restored', { model }),
    });
  };

  const remove = async (prices: readonly Price[]) => {
    const count = await sendRemoval(prices);
    notify('success', t('deletedCount', { count }));
  };

  return { setLocked, restore, remove };
}
