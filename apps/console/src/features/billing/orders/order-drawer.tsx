import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import type { OrderId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { OrderStatusChip } from '../../../ui/product/order-status.tsx';
import { OrderTimeline } from '../../../ui/product/order-timeline.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { OrderActions } from './order-actions.tsx';
import { OrderFacts } from './order-facts.tsx';
import { orderQuery } from './queries.ts';

interface OrderDrawerProps {
  id: OrderId | undefined;
  onClose: () => void;
}

/** One order with everything that happened to it, and what staff can do about it. */
export function OrderDrawer({ id, onClose }: OrderDrawerProps) {
  const { t } = useTranslation('orders');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t('orderTitle')}>
      {id !== undefined && <Details id={id} />}
    </DetailDrawer>
  );
}

function Details({ id }: { id: OrderId }) {
  const { t } = useTranslation('orders');
  const { data: order, error, refetch } = useQuery(orderQuery(id));
  const may = useMay('orders.write');
  if (order === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 3 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <OrderStatusChip status={order.status} />
        <Box sx={{ flexGrow: 1 }} />
        {may && <OrderActions order={order} />}
      </Box>
      {order.review !== '' && <Alert severity="warning">{t(`review.${order.review}`)}</Alert>}
      <OrderFacts order={order} />
      <OrderTimeline events={order.events} />
    </Box>
  );
}
