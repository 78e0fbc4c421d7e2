import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Typography from '@mui/material/Typography';
import type { Task } from '@switchyard/contract/tasks/tasks';
import { IconPhoto, IconPhotoOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/moment.tsx';
import { TaskProgress, TaskStatusChip } from './task-status.tsx';

/** A drawing in the gallery: the picture, or how far it is, above what was asked for. */
export function DrawingCard({ task, onOpen }: { task: Task; onOpen: (id: string) => void }) {
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
      sx={{
        display: 'grid',
        placeItems: 'center',
        aspectRatio: '1',
        bgcolor: 'action.hover',
        color: 'text.disabled',
      }}
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
