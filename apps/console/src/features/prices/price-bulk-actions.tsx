import type { Price } from '@switchyard/contract/prices';
import { useTranslation } from 'react-i18next';
import { BulkDelete } from '../../ui/bulk-delete.tsx';
import { usePriceActions } from './use-price-actions.ts';

export function PriceBulkActions({ prices, onDone }: { prices: readonly Price[]; onDone: () => void }) {
  const { t } = useTranslation('prices');
  const { remove } = usePriceActions();
  return (
    <BulkDelete
      count={prices.length}
      title={t('deleteTitle', { count: prices.length })}
      text={t('deleteText')}
      onConfirm={async () => {
        await remove(prices);
        onDone();
      }}
    />
  );
}
