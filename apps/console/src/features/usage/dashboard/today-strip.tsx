import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import type { Figures } from '@switchyard/contract/usage/dashboard';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { relativeChange } from '../../../ui/charts/key-figure-and-change.tsx';
import { Link } from '../../../ui/display/link.tsx';
import { UsageBar } from '../../../ui/display/usage-and-uptime-bars.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useCurrentUser } from '../../accounts/session/queries.ts';
import { tokensOf } from './daily-usage.ts';
import { dashboardQuery, rateQuery, type Scope } from './queries.ts';

/** Compares today with yesterday up to now; the user's own usage also has balance and last minute. */
export function TodayStrip({ scope }: { scope: Scope }) {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  const { data } = useQuery(dashboardQuery(scope, 1));
  const compared = (of: (figures: Figures) => number) => ({
    now: data === undefined ? undefined : of(data.current),
    change: data === undefined ? undefined : relativeChange(of(data.current), of(data.before)),
  });
  const spend = compared(({ quota }) => quota);
  const requests = compared((figures) => figures.requests);
  const tokens = compared(tokensOf);
  return (
    <Paper component="section" aria-label={t('today')} variant="outlined" sx={strip}>
      {scope === 'mine' && <Balance />}
      <Compared label={t('spendToday')} value={format.points(spend.now)} change={spend.change} />
      <Compared label={t('requestsToday')} value={format.number(requests.now)} change={requests.change} />
      <Compared label={t('tokensToday')} value={format.compact(tokens.now)} change={tokens.change} />
      {scope === 'mine' && <LastMinute />}
    </Paper>
  );
}

function Balance() {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  const self = useCurrentUser();
  if (self === null) return null;
  return (
    <Cell label={<Link to={paths.topUp}>{t('balance')}</Link>} value={format.points(self.quota)}>
      {t('used', { amount: format.points(self.used_quota) })}
    </Cell>
  );
}

interface ComparedProps {
  label: string;
  value: string;
  change: number | undefined;
}

function Compared({ label, value, change }: ComparedProps) {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  return (
    <Cell label={label} value={value}>
      {change === undefined
        ? t('nothingYesterday')
        : t(change < 0 ? 'lessThanYesterday' : 'moreThanYesterday', { percent: format.percent(Math.abs(change)) })}
    </Cell>
  );
}

function LastMinute() {
  const { t } = useTranslation('dashboard');
  const format = useFormat();
  const { data } = useQuery(rateQuery);
  if (data === undefined) return null;
  const { rpm, max_rpm, tpm, max_tpm } = data;
  const requests = max_rpm === 0 ? format.number(rpm) : `${format.number(rpm)} / ${format.number(max_rpm)}`;
  const tokens = max_tpm === 0 ? format.compact(tpm) : `${format.compact(tpm)} / ${format.compact(max_tpm)}`;
  return (
    <Cell label={t('lastMinute')} value={t('perMinute', { requests })}>
      {max_rpm === 0 ? (
        t('tokensPerMinute', { tokens })
      ) : (
        <UsageBar used={rpm} left={max_rpm - rpm} label={t('tokensPerMinute', { tokens })} />
      )}
    </Cell>
  );
}

function Cell({ label, value, children }: { label: ReactNode; value: string; children: ReactNode }) {
  return (
    <Box sx={{ minWidth: 0 }}>
      <Box sx={{ color: 'text.secondary' }}>{label}</Box>
      <Box sx={{ fontSize: '1rem', fontWeight: 600 }}>{value}</Box>
      <Box sx={{ color: 'text.secondary', fontSize: '0.75rem' }}>{children}</Box>
    </Box>
  );
}

const strip = {
  borderRadius: 1.5,
  px: 2,
  py: 1.5,
  display: 'grid',
  gap: 2,
  gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(auto-fit, minmax(150px, 1fr))' },
  fontSize: '0.8125rem',
  fontVariantNumeric: 'tabular-nums',
} as const;
