import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { AttentionCard } from './attention-card.tsx';
import { ComparisonCard } from './comparison-card.tsx';
import { comparisonQuery } from './queries.ts';
import { RefreshStatus } from './refresh-status.tsx';
import { SourceCard } from './source-card.tsx';

/** Shows the models that need attention, and lists to compare and approve. `?list=` is the list that is open. */
export function CataloguePage() {
  const { t } = useTranslation('catalogue');
  const mayWrite = useMay('prices.write');
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
