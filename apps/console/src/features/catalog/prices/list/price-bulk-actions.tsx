import Button from '@mui/material/Button';
import type { Price } from '@switchyard/contract/catalog/prices';
import { useTranslation } from 'react-i18next';
import { BulkDelete } from '../../../../ui/actions/bulk-delete.tsx';
import { usePriceActions } from './use-price-actions.ts';

interface PriceBulkActionsProps {
  prices: readonly Price[];
  onEdit: (prices: readonly Price[]) => void;
  onDone: () => void;
}

export function PriceBulkActions({ prices, onEdit, onDone }: PriceBulkActionsProps) {
  const { t } = useTranslation('prices');
  const { remove } = usePriceActions();
  return (
    <>
      <Button size="small" variant="outlined" onClick={() => onEdit(prices)}>
        {t('editTogether')}
      </Button>
      <BulkDelete
        count={prices.length}
        title={t('deleteTitle', { count: prices.length })}
        text={t('deleteText')}
        onConfirm={async () => {
          await remove(prices);
          onDone();
        }}
      />
    </>
  );
}
