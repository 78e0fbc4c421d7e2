import Button from '@mui/material/Button';
import type { Job } from '@switchyard/contract/operations/system-info';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { jobsQuery, useRunJob } from './queries.ts';

/** Lists the background jobs with their last outcome, failed ones first, and can start one. */
export function JobList() {
  const { t } = useTranslation('system-info');
  const { data: jobs, error, refetch } = useQuery(jobsQuery);
  if (jobs === undefined) return <PendingPanel error={error} refetch={refetch} height={480} />;
  const hasFailed = ({ last }: Job): number => (last?.outcome === 'failed' ? 0 : 1);
  return (
    <SectionCard>
      <RowList label={t('tab.jobs')}>
        {jobs
          .toSorted((one, other) => hasFailed(one) - hasFailed(other))
          .map((job) => (
            <JobRow key={job.name} job={job} />
          ))}
      </RowList>
    </SectionCard>
  );
}

function JobRow({ job }: { job: Job }) {
  const { t } = useTranslation('system-info');
  const format = useFormat();
  const notifyError = useNotifyError();
  const run = useRunJob();
  const { name, every, last, next_at, running } = job;
  const label = t(`job.${name}`);
  const start = () =>
    run.mutate(name, { onSuccess: () => notify('success', t('jobStarted', { job: label })), onError: notifyError });
  return (
    <ListRow
      title={label}
      chip={running ? <StatusChip tone="info">{t('outcome.running')}</StatusChip> : <Last last={last} />}
      text={
        <>
          {t('every', { time: format.duration(every * 1000) })}
          {last !== null && (
            <>
              {' · '}
              {t('last')} <Moment seconds={last.started_at} /> ({format.duration(last.duration)})
            </>
          )}
          {' · '}
          {t('next')} <Moment seconds={next_at} />
          {last?.outcome === 'failed' && <div>{last.message}</div>}
        </>
      }
      actions={
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          disabled={running}
          loading={run.isPending}
          onClick={start}
          aria-label={t('runThis', { job: label })}
        >
          {t('run')}
        </Button>
      }
    />
  );
}

function Last({ last }: Pick<Job, 'last'>) {
  const { t } = useTranslation('system-info');
  if (last === null) return <StatusChip tone="neutral">{t('outcome.never')}</StatusChip>;
  return <JobOutcomeChip last={last} />;
}

export function JobOutcomeChip({ last: { outcome, message } }: { last: NonNullable<Job['last']> }) {
  const { t } = useTranslation('system-info');
  return (
    <StatusChip tone={outcome === 'ok' ? 'success' : 'error'} hint={message}>
      {t(`outcome.${outcome}`)}
    </StatusChip>
  );
}
