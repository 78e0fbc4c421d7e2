import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { TestRun } from '@switchyard/contract/channels/channel-tests';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { testRunsQuery } from '../queries.ts';

const MICRO_USD = 1_000_000;

export function TestRuns() {
  const { t } = useTranslation('channels');
  const { data: runs, error, refetch } = useQuery(testRunsQuery);
  return (
    <Box sx={{ display: 'grid', gap: 1, pt: 2, borderTop: 1, borderColor: 'divider' }}>
      <Typography variant="h4" component="h3" sx={{ fontSize: '0.875rem', fontWeight: 500 }}>
        {t('tests.runs.title')}
      </Typography>
      {runs === undefined && <PendingPanel error={error} refetch={refetch} height={40} />}
      {runs?.length === 0 && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('tests.runs.none')}
        </Typography>
      )}
      <Box component="ul" sx={{ display: 'grid', gap: 0.5, m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
        {runs?.map((run) => (
          <li key={run.id}>
            <Run run={run} />
          </li>
        ))}
      </Box>
    </Box>
  );
}

function Run({ run }: { run: TestRun }) {
  const { t } = useTranslation('channels');
  const format = useFormat();
  const { passed, failed, left_out, cost_micro_usd, is_running, ended_at } = run;
  const facts = [
    t('tests.runs.counts', { passed, failed }),
    ...(left_out > 0 ? [t('tests.runs.leftOut', { count: left_out })] : []),
    t('tests.runs.cost', { cost: format.usd(cost_micro_usd / MICRO_USD) }),
    ...(is_running ? [t('tests.runs.running')] : []),
    ...(!is_running && ended_at === null ? [t('tests.runs.cut')] : []),
  ];
  return (
    <>
      <Moment seconds={run.started_at} /> · {facts.join(' · ')}
    </>
  );
}
