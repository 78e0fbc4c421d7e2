import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { PendingPanel } from '../../../ui/feedback/pending-panel.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { type ListState, useListState } from '../../../ui/table/list-state.ts';
import { TableFooter } from '../../../ui/table/table-footer.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { DrawingCard } from './drawing-card.tsx';
import { type Scope, taskListQuery } from './queries.ts';
import { TaskDrawer } from './task-drawer.tsx';
import { type FilterName, filterNames, taskFilter } from './task-filter.ts';
import { TaskFilters } from './task-filters.tsx';

/** Drawings as a gallery: staff sees everybody's, others their own. `?open=` shows one. */
export function DrawingsPage() {
  const { t } = useTranslation('tasks');
  const scope = useMay('records.read') ? 'everybody' : 'own';
  const list = useListState(filterNames, '-created_at');
  const [opened, setOpened] = useSearchParam('open');
  return (
    <>
      <PageHeader title={t('drawings')} />
      <Box sx={{ mb: 2 }}>
        <TaskFilters list={list} scope={scope} hidesPlatform />
      </Box>
      <Gallery scope={scope} list={list} onOpen={setOpened} />
      <TaskDrawer scope={scope} id={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

interface GalleryProps {
  scope: Scope;
  list: ListState<FilterName>;
  onOpen: (id: string) => void;
}

function Gallery({ scope, list, onOpen }: GalleryProps) {
  const { t } = useTranslation('tasks');
  const { page, size, order, filters } = list;
  const { data, error, refetch } = useQuery(
    taskListQuery(scope, { drawings: { page, size, order, filters } }, () => ({
      ...taskFilter(scope, filters),
      platform: 'midjourney',
      page,
      size,
      order,
    })),
  );
  if (data === undefined) return <PendingPanel error={error} refetch={refetch} height={480} />;
  if (data.total_count === 0)
    return (
      <Paper variant="outlined" sx={{ borderRadius: 1.5 }}>
        <EmptyState>{t(list.narrowed ? 'nothingFound' : 'noDrawings')}</EmptyState>
      </Paper>
    );
  return (
    <>
      <Box
        sx={{
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fill, minmax(max(150px, 18%), 1fr))',
          gap: 2,
          mb: 2,
        }}
      >
        {data.data.map((task) => (
          <DrawingCard key={task.id} task={task} onOpen={onOpen} />
        ))}
      </Box>
      <TableFooter list={list} total={data.total_count} />
    </>
  );
}
