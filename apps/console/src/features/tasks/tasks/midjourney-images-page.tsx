import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { Task } from '@switchyard/contract/tasks/tasks';
import { IconPhoto, IconPhotoOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { TableFooter } from '../../../ui/table/table-footer.tsx';
import { type ListState, useListState } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { type Scope, taskListQuery } from './queries.ts';
import { TaskDrawer } from './task-drawer.tsx';
import { type FilterName, filterNames, TaskFilters, taskFilter } from './task-filters.tsx';
import { TaskProgress, TaskStatusChip } from './task-status-and-progress.tsx';

/** Shows drawings as a gallery: all users' for staff, otherwise the user's own. `?open=` shows one. */
export function MidjourneyImagesPage() {
  const { t } = useTranslation('tasks');
  const scope = useHasAccess('records.read') ? 'everybody' : 'own';
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
        sx={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(max(150px, 18%), 1fr))', gap: 2, mb: 2 }}
      >
        {data.data.map((task) => (
          <DrawingCard key={task.id} task={task} onOpen={onOpen} />
        ))}
      </Box>
      <TableFooter list={list} total={data.total_count} />
    </>
  );
}

/** Shows a drawing or its progress above its prompt. */
function DrawingCard({ task, onOpen }: { task: Task; onOpen: (id: string) => void }) {
  const { t } = useTranslation('tasks');
  const action = t(`actionName.${task.action}`, { defaultValue: task.action });
  return (
    <ButtonBase
      onClick={() => onOpen(task.id)}
      sx={{
        display: 'grid',
        gridTemplateColumns: 'minmax(0, 1fr)',
        alignContent: 'start',
        textAlign: 'start',
        border: 1,
        borderColor: 'divider',
        borderRadius: 1.5,
        overflow: 'hidden',
        bgcolor: 'background.paper',
      }}
    >
      <Box sx={{ position: 'relative' }}>
        <Picture task={task} />
        <Box sx={{ position: 'absolute', bottom: 0, insetInline: 0 }}>
          <TaskProgress task={task} />
        </Box>
      </Box>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1, p: 1.5 }}>
        <Typography
          variant="body2"
          sx={{
            display: '-webkit-box',
            WebkitBoxOrient: 'vertical',
            WebkitLineClamp: 2,
            overflow: 'hidden',
            overflowWrap: 'anywhere',
            minHeight: '2.9em',
          }}
        >
          {task.prompt === '' ? action : task.prompt}
        </Typography>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, fontSize: '0.75rem' }}>
          <TaskStatusChip task={task} />
          <Box component="span" sx={{ flexGrow: 1, color: 'text.secondary' }}>
            {action}
          </Box>
          <Box component="span" sx={{ color: 'text.secondary' }}>
            <Moment seconds={task.created_at} />
          </Box>
        </Box>
      </Box>
    </ButtonBase>
  );
}

function Picture({ task }: { task: Task }) {
  const work = task.works.find(({ kind, expired }) => kind === 'image' && !expired);
  const isLost = task.status === 'failed' || task.works.some(({ expired }) => expired);
  const Mark = isLost ? IconPhotoOff : IconPhoto;
  return (
    <Box
      sx={{ display: 'grid', placeItems: 'center', aspectRatio: '1', bgcolor: 'action.hover', color: 'text.disabled' }}
    >
      {work === undefined ? (
        <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, p: 2 }}>
          <Mark size={40} stroke={1.25} aria-hidden />
          {task.fail_reason !== '' && (
            <Typography
              variant="body2"
              sx={{
                textAlign: 'center',
                color: 'text.secondary',
                overflow: 'hidden',
                overflowWrap: 'anywhere',
                maxHeight: '7.5em',
              }}
            >
              {task.fail_reason}
            </Typography>
          )}
        </Box>
      ) : (
        <Box
          component="img"
          src={work.path}
          alt=""
          loading="lazy"
          sx={{ width: '100%', height: '100%', objectFit: 'cover' }}
        />
      )}
    </Box>
  );
}
