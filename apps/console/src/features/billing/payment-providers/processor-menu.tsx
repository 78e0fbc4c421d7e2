import type { Processor } from '@switchyard/contract/billing/payment-providers';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { MoreMenu } from '../../../ui/actions/more-menu.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { useProcessorActions } from './use-processor-actions.ts';

interface ProcessorMenuProps {
  processor: Processor;
  /** Undefined for who may only look. */
  onEdit: ((processor: Processor) => void) | undefined;
}

export function ProcessorMenu({ processor, onEdit }: ProcessorMenuProps) {
  const { t } = useTranslation(['processors', 'common']);
  const [asked, setAsked] = useState(false);
  const { remove } = useProcessorActions();
  const mayOrders = useMay('orders.read');
  const navigate = useNavigate();
  const goToOrders = () => void navigate({ to: paths.orders, search: { gateway_id: String(processor.id) } });
  return (
    <>
      <MoreMenu
        entries={[
          ...(onEdit === undefined ? [] : [{ label: t('common:edit'), onSelect: () => onEdit(processor) }]),
          ...(mayOrders ? [{ label: t('itsOrders'), onSelect: goToOrders }] : []),
          ...(onEdit === undefined
            ? []
            : [{ label: t('common:delete'), onSelect: () => setAsked(true), danger: true, apart: true }]),
        ]}
      />
      <ConfirmDialog
        open={asked}
        question={{
          title: t('deleteTitle', { name: processor.name }),
          text: t('deleteText'),
          verb: t('common:delete'),
        }}
        onConfirm={() => remove(processor)}
        onClose={() => setAsked(false)}
      />
    </>
  );
}
