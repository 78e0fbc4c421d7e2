import type { Order } from '@switchyard/contract/billing/orders';
import { useTranslation } from 'react-i18next';
import { paths, userPath } from '../../../paths.ts';
import { CopyableId } from '../../../ui/display/copyable-id.tsx';
import { type Fact, Facts } from '../../../ui/display/facts.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { Moment } from '../../../ui/display/moment.tsx';
import { Money } from '../../../ui/display/money.tsx';
import { Name } from '../../../ui/display/name.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useMay } from '../../accounts/session/queries.ts';

export function OrderFacts({ order }: { order: Order }) {
  const { t } = useTranslation('orders');
  const format = useFormat();
  const money = (amount: number) => format.money(amount, order.order_currency);
  const facts: Fact[] = [
    [t('user'), <User key="user" order={order} />],
    [t('gateway'), <Gateway key="gateway" order={order} />],
    [t('amount'), format.exactUsd(order.amount)],
    [t('quota'), <Money key="quota" points={order.quota} />],
    [t('discount'), format.exactUsd(order.discount)],
    [t('fee'), format.exactUsd(order.fee)],
    [t('toPay'), money(order.order_amount)],
    [t('refunded'), order.refunded_amount === 0 ? UNKNOWN : money(order.refunded_amount)],
    [
      t('refundedQuota'),
      order.refunded_quota === 0 ? UNKNOWN : <Money key="back" points={order.refunded_quota} />,
    ],
    [t('created'), <Moment key="created" seconds={order.created_at} />],
    [t('expires'), <Moment key="expires" seconds={order.expires_at} />],
    [t('paidAt'), <Moment key="paid" seconds={order.paid_at ?? undefined} />],
    [t('tradeNo'), <CopyableId key="trade" text={order.trade_no} what={t('tradeNo')} />],
    [t('gatewayNo'), <CopyableId key="payment" text={order.gateway_no} what={t('gatewayNo')} />],
  ];
  return <Facts facts={facts} />;
}

function User({ order: { user_id, username } }: { order: Order }) {
  const name = <Name id={user_id}>{username}</Name>;
  if (!useMay('users.read')) return name;
  return <Link to={userPath(user_id)}>{name}</Link>;
}

function Gateway({ order: { gateway_id, gateway_name } }: { order: Order }) {
  const name = <Name id={gateway_id}>{gateway_name}</Name>;
  if (!useMay('processors.write')) return name;
  return (
    <Link to={paths.processors} search={{ edit: String(gateway_id) }}>
      {name}
    </Link>
  );
}
