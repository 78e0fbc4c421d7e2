import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import type { Task, TaskStatus } from '@switchyard/contract/tasks/tasks';
import { useTranslation } from 'react-i18next';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';

const tones: Record<TaskStatus, Tone> = { queued: 'neutral', running: 'info', succeeded: 'success', failed: 'error' };

export function TaskStatusChip({ task }: { task: Pick<Task, 'status' | 'progress' | 'fail_reason'> }) {
  const { t } = useTranslation('tasks');
  const format = useFormat();
  const { status, progress, fail_reason } = task;
  return (
    <StatusChip tone={tones[status]} hint={fail_reason}>
      {status === 'running' && progress > 0 ? format.percent(progress / 100) : t(`status.${status}`)}
    </StatusChip>
  );
}

/** Shows a progress bar while the task is open. */
export function TaskProgress({ task }: { task: Pick<Task, 'status' | 'progress'> }) {
  const { t } = useTranslation('tasks');
  const { status, progress } = task;
  if (status !== 'queued' && status !== 'running') return null;
  const isKnown = status === 'running' && progress > 0;
  return (
    <Box sx={{ width: '100%' }}>
      <LinearProgress aria-label={t('progress')} {...(isKnown ? { variant: 'determinate', value: progress } : {})} />
    </Box>
  );
}

/** Shows the time from submission to the end, in whole seconds. */
export function TaskDuration({ task }: { task: Pick<Task, 'created_at' | 'ended_at'> }) {
  const { t } = useTranslation('tasks');
  const format = useFormat();
  if (task.ended_at === null) return UNKNOWN;
  const seconds = task.ended_at - task.created_at;
  return seconds < 1 ? t('underASecond') : format.duration(seconds * 1000);
}
