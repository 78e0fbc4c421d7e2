import type { Price } from '@switchyard/contract/catalog/prices';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreMenu } from '../../../../ui/actions/more-menu.tsx';
import { ConfirmDialog } from '../../../../ui/overlays/confirm-dialog.tsx';
import { usePriceActions } from './use-price-actions.ts';

interface PriceMenuProps {
  price: Price;
  onEdit: (price: Price) => void;
  onCalculate: (price: Price) => void;
}

export function PriceMenu({ price, onEdit, onCalculate }: PriceMenuProps) {
  const { t } = useTranslation(['prices', 'common']);
  const [asked, setAsked] = useState(false);
  const { setLocked, remove } = usePriceActions();
  return (
    <>
      <MoreMenu
        entries={[
          { label: t('common:edit'), onSelect: () => onEdit(price) },
          { label: t('calculate'), onSelect: () => onCalculate(price) },
          {
            label: t(price.locked ? 'unlock' : 'lock'),
            onSelect: () => void setLocked(price, !price.locked),
          },
          { label: t('common:delete'), danger: true, apart: true, onSelect: () => setAsked(true) },
        ]}
      />
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteOneTitle', { model: price.model }),
          text: t('deleteText'),
          verb: t('common:delete'),
        }}
        onConfirm={() => remove([price])}
        onClose={() => setAsked(false)}
      />
    </>
  );
}
