import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { ComparisonCard } from './price-list-comparison-card.tsx';
import { SourceCard } from './price-list-source-card.tsx';
import { catalogueNoticesQuery, comparisonQuery } from './queries.ts';
import { AttentionCard } from './unpriced-and-retiring-models-card.tsx';

/** Shows models that need attention and lists to compare and approve. `?list=` selects the list. */
export function CatalogUpdatesPage() {
  const { t } = useTranslation('catalogue');
  const mayWrite = useHasAccess('prices.write');
  const [list, setList] = useSearchParam('list');
  const id = list !== undefined && /^\d{1,15}$/.test(list) ? Number(list) : undefined;
  const { data, error, refetch } = useQuery(comparisonQuery(id));
  return (
    <>
      <PageHeader title={t('title')} />
      <Typography sx={{ color: 'text.secondary', mb: 2, maxWidth: 760 }}>{t('intro')}</Typography>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <RefreshStatus />
        <AttentionCard onOpen={(pending) => setList(String(pending))} />
        {mayWrite && <SourceCard onCompared={(compared) => setList(String(compared))} />}
        {id !== undefined &&
          (data === undefined || data === null ? (
            <PendingPanel error={error} refetch={refetch} height={320} />
          ) : (
            <ComparisonCard key={id} comparison={data} onDone={() => setList(undefined)} />
          ))}
      </Box>
    </>
  );
}

/** Shows the last fetch of the operator's list with its outcome, and the time of the next one. */
function RefreshStatus() {
  const { t } = useTranslation(['catalogue', 'errors']);
  const format = useFormat();
  const { data } = useQuery(catalogueNoticesQuery);
  const refresh = data?.refresh ?? null;
  if (refresh === null) return null;
  const { address, tried_time, read_time, next_time, problem } = refresh;
  const [time, next] = [format.moment(tried_time), format.moment(next_time)];
  if (problem === null)
    return (
      <Typography sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {t('refresh.read', { address, time, next })}
      </Typography>
    );
  return (
    <Alert severity="warning" sx={{ overflowWrap: 'anywhere' }}>
      <div>{t('refresh.failed', { address, time })}</div>
      <div>{t(`errors:server.${problem}`)}</div>
      <div>
        {t('refresh.next', { next })}{' '}
        {read_time === 0 ? t('refresh.never') : t('refresh.last', { time: format.moment(read_time) })}
      </div>
    </Alert>
  );
}
