import type { Task } from '@switchyard/contract/tasks/tasks';
import { useTranslation } from 'react-i18next';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';

/** Shows the time from submission to the end, both to the second. */
export function TaskDuration({ task }: { task: Pick<Task, 'created_at' | 'ended_at'> }) {
  const { t } = useTranslation('tasks');
  const format = useFormat();
  if (task.ended_at === null) return UNKNOWN;
  const seconds = task.ended_at - task.created_at;
  return seconds < 1 ? t('underASecond') : format.duration(seconds * 1000);
}
