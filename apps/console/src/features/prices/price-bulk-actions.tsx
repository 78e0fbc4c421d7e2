import type { Price } from '@switchyard/contract/prices';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { usePriceActions } from './use-price-actions.ts';

/** Several at once is typed out; one is asked for. */
const TYPED_FROM = 2;

export function PriceBulkActions({ prices, onDone }: { prices: readonly Price[]; onDone: () => void }) {
  const { t } = useTranslation(['prices', 'common']);
  const { remove } = usePriceActions();
  return (
    <ConfirmButton
      size="small"
      variant="outlined"
      question={{
        title: t('deleteTitle', { count: prices.length }),
        text: t('deleteText'),
        verb: t('common:delete'),
        typed: prices.length < TYPED_FROM ? undefined : String(prices.length),
      }}
      onConfirm={async () => {
        await remove(prices);
        onDone();
      }}
    >
      {t('common:delete')}
    </ConfirmButton>
  );
}
