import type { Price } from '@switchyard/contract/prices';
import { useTranslation } from 'react-i18next';
import { notify } from '../../ui/notices.ts';
import { useNotifyError } from '../../ui/use-notify-error.ts';
import { useRemovePrices, useUpdatePrice } from './queries.ts';

/** Locks, unlocks (can be undone) and deletes prices, and says what came of it. */
export function usePriceActions() {
  const { t } = useTranslation('prices');
  const notifyError = useNotifyError();
  const { mutateAsync: sendUpdate } = useUpdatePrice();
  const { mutateAsync: sendRemoval } = useRemovePrices();

  const sendLock = ({ model, type, channel_type, rates, image_rates, tiers }: Price, locked: boolean) =>
    sendUpdate({ model, body: { model, type, channel_type, rates, image_rates, tiers, locked } });

  const setLocked = async (price: Price, locked: boolean) => {
    try {
      await sendLock(price, locked);
    } catch (error) {
      notifyError(error);
      return;
    }
    notify('success', t(locked ? 'lockedName' : 'unlockedName', { model: price.model }), {
      undo: () => void sendLock(price, !locked).catch(notifyError),
    });
  };

  const remove = async (prices: readonly Price[]) => {
    const count = await sendRemoval(prices.map(({ model }) => model));
    notify('success', t('deletedCount', { count }));
  };

  return { setLocked, remove };
}
