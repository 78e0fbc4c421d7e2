import Button from '@mui/material/Button';
import type { Order } from '@switchyard/contract/billing/orders';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';
import { actionsOf, type OrderAction } from './order-rules.ts';
import { useCheckOrder } from './queries.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { RefundDialog } from './refund-dialog.tsx';

/** Offers the staff's actions on an order; each action except the status check asks for a reason. */
export function OrderActions({ order }: { order: Order }) {
  const { t } = useTranslation('orders');
  const [asked, setAsked] = useState<Exclude<OrderAction, 'check'>>();
  const check = useCheckOrder();
  const notifyError = useNotifyError();
  const close = () => setAsked(undefined);
  const checkNow = async () => {
    try {
      const { status } = await check.mutateAsync(order.id);
      notify('info', t('checked', { status: t(`status.${status}`) }));
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <>
      {actionsOf(order).map((action) =>
        action === 'check' ? (
          <Button
            key={action}
            size="small"
            variant="outlined"
            color="inherit"
            loading={check.isPending}
            onClick={() => void checkNow()}
          >
            {t('checkNow')}
          </Button>
        ) : (
          <Button
            key={action}
            size="small"
            variant="outlined"
            color={action === 'refund' ? 'error' : 'inherit'}
            onClick={() => setAsked(action)}
          >
            {t(`action.${action}`)}
          </Button>
        ),
      )}
      <RefundDialog open={asked === 'refund'} order={order} onClose={close} />
      <ReasonDialog action={asked === 'refund' ? undefined : asked} order={order} onClose={close} />
    </>
  );
}
