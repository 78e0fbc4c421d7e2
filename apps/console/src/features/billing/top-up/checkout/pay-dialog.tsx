import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { type Icon, IconAlertTriangle, IconCircleCheck, IconCircleX, IconClockX } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { useCurrentUser } from '../../../accounts/session/queries.ts';
import type { OwnOrderDetail } from '../../orders/queries.ts';
import { useCheckNow, useOwnOrder } from './own-order-hooks.ts';
import { PendingOrder } from './pending-order.tsx';

interface PayDialogProps {
  tradeNo: string | undefined;
  onClose: () => void;
  /** Callback that opens the order's details. */
  onDetails: (tradeNo: string) => void;
}

/** Shows how to pay an order and follows its status while the dialog is open. */
export function PayDialog({ tradeNo, onClose, onDetails }: PayDialogProps) {
  const { t } = useTranslation('top-up');
  const titleId = useId();
  return (
    <Dialog open={tradeNo !== undefined} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('payTitle')}</DialogTitle>
      {tradeNo !== undefined && <LiveOrder tradeNo={tradeNo} onClose={onClose} onDetails={() => onDetails(tradeNo)} />}
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

type End = Exclude<OwnOrderDetail['status'], 'pending'>;

const looks: Readonly<Record<End, readonly [icon: Icon, colour: string]>> = {
  success: [IconCircleCheck, 'success.main'],
  failed: [IconCircleX, 'error.main'],
  closed: [IconClockX, 'text.secondary'],
  refunded: [IconCircleCheck, 'text.secondary'],
  disputed: [IconAlertTriangle, 'warning.main'],
};

interface OrderEndProps {
  order: OwnOrderDetail;
  onClose: () => void;
  onDetails: () => void;
}

function OrderEnd({ order, onClose, onDetails }: OrderEndProps) {
  const { t } = useTranslation(['top-up', 'common']);
  const format = useFormat();
  const { check, checking } = useCheckNow();
  const balance = useCurrentUser()?.quota;
  const { status } = order;
  if (status === 'pending') return null;
  const [Mark, colour] = looks[status];
  return (
    <>
      <DialogContent
        role="status"
        sx={{ display: 'grid', justifyItems: 'center', gap: 1.25, textAlign: 'center', py: 3 }}
      >
        <Box sx={{ color: colour, lineHeight: 0 }}>
          <Mark size={48} stroke={1.5} />
        </Box>
        <Typography sx={{ fontSize: '1.25rem', fontWeight: 600 }}>
          {t(`end.${status}`, { amount: format.points(order.quota) })}
        </Typography>
        <Typography sx={{ color: 'text.secondary', maxWidth: 340 }}>
          {status === 'success' ? t('newBalance', { balance: format.points(balance) }) : t(`next.${status}`)}
        </Typography>
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap' }}>
        <Button color="inherit" onClick={onDetails} sx={{ mr: 'auto' }}>
          {t('details')}
        </Button>
        {(status === 'closed' || status === 'failed') && (
          <Button color="inherit" loading={checking} onClick={() => void check(order.trade_no)}>
            {t('havePaid')}
          </Button>
        )}
        <Button variant="contained" onClick={onClose}>
          {t(status === 'success' ? 'done' : 'common:close')}
        </Button>
      </DialogActions>
    </>
  );
}
