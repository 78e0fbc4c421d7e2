import type { OrderStatus } from '@switchyard/contract/wire-enums';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../display/status-and-tag-chips.tsx';

const tones: Readonly<Record<OrderStatus, Tone>> = {
  pending: 'info',
  success: 'success',
  failed: 'error',
  closed: 'neutral',
  refunded: 'neutral',
  disputed: 'warning',
};

export function OrderStatusChip({ status }: { status: OrderStatus }) {
  const { t } = useTranslation('orders');
  return (
    <StatusChip tone={tones[status]} hint={t(`statusHint.${status}`)}>
      {t(`status.${status}`)}
    </StatusChip>
  );
}
