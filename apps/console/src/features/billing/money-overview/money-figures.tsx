import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { KeyFigure, relativeChange } from '../../../ui/charts/key-figure-and-change.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import type { Overview } from './queries.ts';

/** Shows the figures of a period, each with a link to the list behind it. */
export function MoneyFigures(props: FiguresProps) {
  return (
    <Box sx={figuresGrid}>
      <IncomeFigures {...props} />
      <CallFigures {...props} />
      <OtherFigures {...props} />
      <OwedFigures {...props} />
    </Box>
  );
}

const marginOf = ({ costed, cost }: Overview): number => costed - cost;

function CallFigures({ current, before, span }: FiguresProps) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const toLog = useHasAccess('records.read') ? { to: paths.usageRecords } : {};
  const calls = { ...span, log_type: 'consume' };
  const { charged, cost, costed } = current;
  return (
    <>
      <KeyFigure
        label={t('charged')}
        value={format.points(charged)}
        change={relativeChange(charged, before?.charged)}
        {...toLog}
        search={{ ...calls, order: '-quota' }}
      />
      <KeyFigure
        label={t('cost')}
        value={format.points(cost)}
        change={relativeChange(cost, before?.cost)}
        moreIsWorse
        {...(charged === 0 ? {} : { note: t('costNote', { share: format.percent(costed / charged) }) })}
        {...toLog}
        search={calls}
      />
      <KeyFigure
        label={t('margin')}
        value={format.points(marginOf(current))}
        change={before === undefined ? undefined : relativeChange(marginOf(current), marginOf(before))}
        moreIsWorse={false}
        {...(costed === 0
          ? {}
          : {
              note: t('marginNote', {
                share: format.percent(marginOf(current) / costed, 1),
                charged: format.points(costed),
              }),
            })}
        {...toLog}
        search={calls}
      />
    </>
  );
}

function OtherFigures({ current, before, span }: FiguresProps) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const toLog = useHasAccess('records.read') ? { to: paths.usageRecords } : {};
  const toCodes = useHasAccess('codes.read') ? { to: paths.redemptionCodes } : {};
  const { codes, gifts, adjustments } = current;
  return (
    <>
      <KeyFigure
        label={t('redeemed')}
        value={format.points(codes.quota)}
        change={relativeChange(codes.quota, before?.codes.quota)}
        note={t('redeemedNote', { count: codes.redeemed })}
        {...toCodes}
        search={{ tab: 'codes', status: 'used', order: '-redeemed_time' }}
      />
      <KeyFigure
        label={t('gifts')}
        value={format.points(gifts)}
        change={relativeChange(gifts, before?.gifts)}
        {...toLog}
        search={{ ...span, log_type: 'system' }}
      />
      <KeyFigure
        label={t('adjustments')}
        value={format.points(adjustments)}
        {...toLog}
        search={{ ...span, log_type: 'manage' }}
      />
    </>
  );
}

/** Shows the amounts owed now, regardless of the period. */
function OwedFigures({ current: { liabilities, debts, codes } }: FiguresProps) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const toUsers = useHasAccess('users.read') ? { to: paths.users } : {};
  const toCodes = useHasAccess('codes.read') ? { to: paths.redemptionCodes } : {};
  return (
    <>
      <KeyFigure
        label={t('liabilities')}
        value={format.points(liabilities)}
        note={t('liabilitiesNote')}
        {...toUsers}
        search={{ order: '-quota' }}
      />
      <KeyFigure
        label={t('debts')}
        value={format.points(debts)}
        note={t('debtsNote')}
        {...toUsers}
        search={{ order: 'quota' }}
      />
      <KeyFigure
        label={t('outstanding')}
        value={format.points(codes.outstanding_quota)}
        note={t('outstandingNote', { count: codes.outstanding })}
        {...toCodes}
        search={{ tab: 'codes', status: 'enabled' }}
      />
    </>
  );
}

export const figuresGrid = {
  display: 'grid',
  gap: { xs: 1.5, md: 2 },
  gridTemplateColumns: {
    xs: 'repeat(2, minmax(0, 1fr))',
    md: 'repeat(3, minmax(0, 1fr))',
    lg: 'repeat(auto-fit, minmax(200px, 1fr))',
  },
} as const;

function IncomeFigures({ current, before, span }: FiguresProps) {
  const { t } = useTranslation('money-overview');
  const format = useFormat();
  const toOrders = useHasAccess('orders.read') ? { to: paths.orders } : {};
  if (current.income.length === 0)
    return <KeyFigure label={t('noIncome')} value={format.number(0)} {...toOrders} search={span} />;
  return current.income.map(({ currency, income, refunds, fees, orders }) => {
    const earlier = before?.income.find((one) => one.currency === currency)?.income;
    return (
      <KeyFigure
        key={currency}
        label={t('income', { currency })}
        value={format.money(income, currency)}
        change={relativeChange(income, earlier)}
        moreIsWorse={false}
        note={t('incomeNote', { count: orders, refunds: format.money(refunds, currency), fees: format.usd(fees) })}
        {...toOrders}
        search={span}
      />
    );
  });
}

interface FiguresProps {
  current: Overview;
  /** Figures of the previous period; undefined while they load. */
  before: Overview | undefined;
  /** Time range of the figures as URL filters of lists. */
  span: Record<string, string>;
}
