import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../../ui/feedback/pending-panel.tsx';
import { OrderEnd } from './order-end.tsx';
import { PendingOrder } from './pending-order.tsx';
import { useOwnOrder } from './use-own-order.ts';

interface PayDialogProps {
  tradeNo: string | undefined;
  onClose: () => void;
  /** The order's own record. */
  onDetails: (tradeNo: string) => void;
}

/** Shows how to pay an order, and follows the order for as long as it is open. */
export function PayDialog({ tradeNo, onClose, onDetails }: PayDialogProps) {
  const { t } = useTranslation('top-up');
  const titleId = useId();
  return (
    <Dialog open={tradeNo !== undefined} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('payTitle')}</DialogTitle>
      {tradeNo !== undefined && (
        <LiveOrder tradeNo={tradeNo} onClose={onClose} onDetails={() => onDetails(tradeNo)} />
      )}
    </Dialog>
  );
}

interface LiveOrderProps {
  tradeNo: string;
  onClose: () => void;
  onDetails: () => void;
}

function LiveOrder({ tradeNo, onClose, onDetails }: LiveOrderProps) {
  const { data: order, error, refetch } = useOwnOrder(tradeNo);
  if (order === undefined) {
    return (
      <DialogContent sx={{ pb: 2.5 }}>
        <PendingPanel error={error} refetch={refetch} height={240} />
      </DialogContent>
    );
  }
  return order.status === 'pending' ? (
    <PendingOrder order={order} onClose={onClose} />
  ) : (
    <OrderEnd order={order} onClose={onClose} onDetails={onDetails} />
  );
}
