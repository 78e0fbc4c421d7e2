import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { IconBookmark } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ExportLink } from '../../../ui/actions/export-link.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useSearchParams } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { useListState } from '../../../ui/table/list-state.ts';
import { AnalysisChart } from './analysis-chart.tsx';
import { AnalysisTable } from './analysis-table.tsx';
import { AnalyticsFilters } from './analytics-filters.tsx';
import { analysisQuery, exportUrl } from './queries.ts';
import { filterNames, questionOf, usualMeasure } from './question.ts';
import { QuestionPickers } from './question-pickers.tsx';
import { SavedViewsDialog } from './saved-views-dialog.tsx';
import { StatisticsRow } from './statistics-row.tsx';

/** Any question about usage; all of it stands in the address. */
export function AnalyticsPage() {
  const { t } = useTranslation('analytics');
  const search = useSearchParams();
  const { order: _order, page: _page, size: _size, ...asked } = search;
  const asking = questionOf(asked);
  const { split, measure = usualMeasure } = asking;
  const list = useListState(filterNames, split === undefined ? '-name' : `-${measure}`);
  const [viewsOpen, setViewsOpen] = useState(false);
  const query = useQuery(analysisQuery(asked, () => questionOf(asked)));
  const { data, error, refetch } = query;
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <Button
              variant="outlined"
              color="inherit"
              startIcon={<IconBookmark size={18} />}
              onClick={() => setViewsOpen(true)}
            >
              {t('views')}
            </Button>
            <ExportLink href={exportUrl(data?.question ?? asking)} />
          </>
        }
      />
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
        <StatisticsRow />
        <AnalyticsFilters list={list} named={data?.analysis.filtered ?? {}} />
        <QuestionPickers />
        {data === undefined ? (
          <PendingPanel error={error} refetch={refetch} height={480} />
        ) : (
          <>
            <AnalysisChart {...data} />
            <AnalysisTable
              {...data}
              list={list}
              fetching={query.isFetching}
              error={error}
              onRetry={() => void refetch()}
            />
          </>
        )}
      </Box>
      <SavedViewsDialog open={viewsOpen} onClose={() => setViewsOpen(false)} />
    </>
  );
}
