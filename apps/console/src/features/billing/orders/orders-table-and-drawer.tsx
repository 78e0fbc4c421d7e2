import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Order } from '@switchyard/contract/billing/orders';
import { type OrderId, orderId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths, userPath } from '../../../paths.ts';
import { CopyableId } from '../../../ui/display/copyable-text.tsx';
import { type DescriptionEntry, DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment, Money, Name } from '../../../ui/display/formatted-values.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { OrderStatusChip, OrderTimeline } from '../../../ui/product/order-status-and-timeline.tsx';
import { DataTable } from '../../../ui/table/data-table.tsx';
import type { ListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { ReasonDialog, RefundDialog } from './order-action-dialogs.tsx';
import { availableActions, type OrderAction } from './order-action-rules.ts';
import { orderColumns } from './order-columns.tsx';
import { type FilterName, orderFilter } from './order-filter.ts';
import { type OrderTotals, orderListQuery, orderQuery, orderTotalsQuery, useCheckOrder } from './queries.ts';

interface OrdersTableProps {
  list: ListState<FilterName>;
  filterBar: ReactNode;
}

/** Lists orders for staff. `?open=` shows one. */
export function OrdersTable({ list, filterBar }: OrdersTableProps) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  const [opened, setOpened] = useSearchParam('open');
  const { page, size, order, filters } = list;
  const filter = () => orderFilter(filters);
  const listed = useQuery(orderListQuery({ page, size, order, filters }, () => ({ ...filter(), page, size, order })));
  const totals = useQuery(orderTotalsQuery(filters, filter)).data;
  const columns = useMemo(() => orderColumns(t, format), [t, format]);
  return (
    <>
      <DataTable
        name="orders"
        label={t('title')}
        columns={columns}
        list={list}
        query={listed}
        totals={<OrderTotalsRow totals={totals} />}
        rowId={(row) => String(row.id)}
        onOpen={(row) => setOpened(String(row.id))}
        filterBar={filterBar}
        empty={<EmptyState>{t('noneYet')}</EmptyState>}
        emptyFiltered={<EmptyState>{t('nothingFound')}</EmptyState>}
      />
      <OrderDrawer id={orderId.safeParse(opened).data} onClose={() => setOpened(undefined)} />
    </>
  );
}

/** Shows the sums of all matching orders for each currency. */
function OrderTotalsRow({ totals }: { totals: OrderTotals | undefined }) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  return totals?.map(({ currency, orders, paid, paid_amount, refunded_amount }) => (
    <span key={currency}>
      <Box component="span" sx={{ color: 'text.secondary', mr: 0.5 }}>
        {t('totals.paid', { paid: format.number(paid), orders: format.number(orders) })}
      </Box>
      <Box component="span" sx={{ fontWeight: 500 }}>
        {format.money(paid_amount, currency)}
      </Box>
      {refunded_amount > 0 && (
        <Box component="span" sx={{ color: 'text.secondary', ml: 0.5 }}>
          {t('totals.refunded', { amount: format.money(refunded_amount, currency) })}
        </Box>
      )}
    </span>
  ));
}

interface OrderDrawerProps {
  id: OrderId | undefined;
  onClose: () => void;
}

/** Shows an order, its timeline and the staff's actions. */
function OrderDrawer({ id, onClose }: OrderDrawerProps) {
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
  const may = useHasAccess('orders.write');
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

function OrderFacts({ order }: { order: Order }) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  const money = (amount: number) => format.money(amount, order.order_currency);
  const facts: DescriptionEntry[] = [
    [t('user'), <User key="user" order={order} />],
    [t('gateway'), <Gateway key="gateway" order={order} />],
    [t('amount'), format.exactUsd(order.amount)],
    [t('quota'), <Money key="quota" points={order.quota} />],
    [t('discount'), format.exactUsd(order.discount)],
    [t('fee'), format.exactUsd(order.fee)],
    [t('toPay'), money(order.order_amount)],
    [t('refunded'), order.refunded_amount === 0 ? UNKNOWN : money(order.refunded_amount)],
    [t('refundedQuota'), order.refunded_quota === 0 ? UNKNOWN : <Money key="back" points={order.refunded_quota} />],
    [t('created'), <Moment key="created" seconds={order.created_at} />],
    [t('expires'), <Moment key="expires" seconds={order.expires_at} />],
    [t('paidAt'), <Moment key="paid" seconds={order.paid_at ?? undefined} />],
    [t('tradeNo'), <CopyableId key="trade" text={order.trade_no} what={t('tradeNo')} />],
    [t('gatewayNo'), <CopyableId key="payment" text={order.gateway_no} what={t('gatewayNo')} />],
  ];
  return <DescriptionList facts={facts} />;
}

function User({ order: { user_id, username } }: { order: Order }) {
  const name = <Name id={user_id}>{username}</Name>;
  if (!useHasAccess('users.read')) return name;
  return <Link to={userPath(user_id)}>{name}</Link>;
}

function Gateway({ order: { gateway_id, gateway_name } }: { order: Order }) {
  const name = <Name id={gateway_id}>{gateway_name}</Name>;
  if (!useHasAccess('processors.write')) return name;
  return (
    <Link to={paths.processors} search={{ edit: String(gateway_id) }}>
      {name}
    </Link>
  );
}

/** Offers the staff's actions on an order; each except the status check asks for a reason. */
function OrderActions({ order }: { order: Order }) {
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
      {availableActions(order).map((action) =>
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
