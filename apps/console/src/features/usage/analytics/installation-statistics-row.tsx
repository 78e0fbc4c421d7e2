import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { KeyFigure } from '../../../ui/charts/key-figure-and-change.tsx';
import { ErrorPanel } from '../../../ui/feedback/error-panel-and-link-alert.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { type Statistics, statisticsQuery } from './queries.ts';

/** Shows current figures of the installation, each with a link to its list. */
export function StatisticsRow() {
  const { data, error, refetch } = useQuery(statisticsQuery);
  if (data === undefined && error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <Box
      aria-busy={data === undefined}
      sx={{
        display: 'grid',
        gap: { xs: 1.5, md: 2 },
        gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', lg: 'repeat(auto-fit, minmax(200px, 1fr))' },
      }}
    >
      {data === undefined ? (
        ['users', 'channels', 'balance', 'recharge'].map((name) => (
          <Skeleton key={name} variant="rounded" height={108} />
        ))
      ) : (
        <Figures statistics={data} />
      )}
    </Box>
  );
}

function Figures({ statistics: { users, channels, balance, used, recharge } }: { statistics: Statistics }) {
  const { t } = useTranslation('analytics');
  const format = useFormat();
  const toUsers = useHasAccess('users.read') ? { to: paths.users } : {};
  const toChannels = useHasAccess('channels.read') ? { to: paths.channels } : {};
  return (
    <>
      <KeyFigure
        label={t('users')}
        value={format.number(users.total)}
        note={t('usersNote', { invited: format.number(users.invited), disabled: format.number(users.disabled) })}
        {...toUsers}
      />
      <KeyFigure
        label={t('channels')}
        value={format.number(channels.enabled + channels.disabled + channels.auto_disabled)}
        note={t('channelsNote', {
          enabled: format.number(channels.enabled),
          disabled: format.number(channels.disabled),
          automatic: format.number(channels.auto_disabled),
        })}
        {...toChannels}
      />
      <KeyFigure
        label={t('balance')}
        value={format.points(balance)}
        note={t('balanceNote', { used: format.points(used) })}
        {...toUsers}
        search={{ order: '-quota' }}
      />
      {recharge !== null && <RechargeFigure recharge={recharge} />}
    </>
  );
}

function RechargeFigure({ recharge }: { recharge: NonNullable<Statistics['recharge']> }) {
  const { t } = useTranslation('analytics');
  const format = useFormat();
  const toOrders = useHasAccess('orders.read') ? { to: paths.orders } : {};
  const quota = [recharge.code_quota, ...recharge.orders.map((order) => order.quota)].reduce<number>(
    (sum, points) => sum + points,
    0,
  );
  const paid = recharge.orders.map(({ amount, currency }) => format.money(amount, currency));
  const codes = t('codes', { count: recharge.codes, quota: format.points(recharge.code_quota) });
  return (
    <KeyFigure label={t('recharge')} value={format.points(quota)} note={[...paid, codes].join(' · ')} {...toOrders} />
  );
}
