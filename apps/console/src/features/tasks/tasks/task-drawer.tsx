import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Artifact, Task } from '@switchyard/contract/tasks/tasks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths, userPath } from '../../../paths.ts';
import { CopyableId } from '../../../ui/display/copyable-text.tsx';
import { type DescriptionEntry, DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment, Money, Name } from '../../../ui/display/formatted-values.tsx';
import { Link, LinkButton } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { EmptyState, PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PlainText } from '../../../ui/markdown/plain-text.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { type Scope, taskQuery } from './queries.ts';
import { TaskDuration, TaskProgress, TaskStatusChip } from './task-status-and-progress.tsx';

interface TaskDrawerProps {
  scope: Scope;
  id: string | undefined;
  onClose: () => void;
}

/** Shows a task's request, progress, artifacts and cost. */
export function TaskDrawer({ scope, id, onClose }: TaskDrawerProps) {
  const { t } = useTranslation('tasks');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} width={600} title={t('one')}>
      {id !== undefined && <Details scope={scope} id={id} />}
    </DetailDrawer>
  );
}

function Details({ scope, id }: { scope: Scope; id: string }) {
  const { t } = useTranslation('tasks');
  const { data: task, error, refetch } = useQuery(taskQuery(scope, id));
  if (task === undefined) return <PendingPanel error={error} refetch={refetch} height={360} />;
  if (task === null) return <EmptyState>{t('gone')}</EmptyState>;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 3 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <TaskStatusChip task={task} />
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          <Moment seconds={task.created_at} />
        </Typography>
        <Box sx={{ flexGrow: 1 }} />
        <Typography variant="h4" component="span" sx={{ fontVariantNumeric: 'tabular-nums' }}>
          <Money points={task.quota ?? task.expected} />
        </Typography>
      </Box>
      <TaskProgress task={task} />
      {task.fail_reason !== '' && (
        <Typography
          variant="body2"
          sx={{ p: 1.5, borderRadius: 1, overflowWrap: 'anywhere', bgcolor: 'error.soft', color: 'error.onSoft' }}
        >
          {task.fail_reason}
        </Typography>
      )}
      {task.works.length > 0 && <TaskWorks task={task} />}
      {task.prompt !== '' && (
        <Box>
          <Typography variant="body2" sx={{ color: 'text.secondary' }}>
            {t('prompt')}
          </Typography>
          <PlainText>{task.prompt}</PlainText>
        </Box>
      )}
      <TaskFacts task={task} />
      {task.ended_at !== null && (
        <Box>
          <LinkButton
            size="small"
            color="inherit"
            variant="outlined"
            to={paths.usageRecords}
            search={{ request_id: task.request_id }}
          >
            {t('inTheLog')}
          </LinkButton>
        </Box>
      )}
    </Box>
  );
}

function TaskFacts({ task }: { task: Task }) {
  const { t } = useTranslation('tasks');
  const facts: (DescriptionEntry | false)[] = [
    task.prompt_en !== '' && [t('promptEn'), task.prompt_en],
    [t('platform'), t(`platformName.${task.platform}`)],
    [t('action'), t(`actionName.${task.action}`, { defaultValue: task.action })],
    [t('model'), <Mono key="model">{task.model_name}</Mono>],
    task.quota === null && [t('held'), <Money key="held" points={task.expected} />],
    task.ended_at !== null && [t('duration'), <TaskDuration key="duration" task={task} />],
    [
      t('token'),
      <Name key="token" id={task.token_id}>
        {task.token_name}
      </Name>,
    ],
    task.channel !== null && [
      t('user'),
      <Link key="user" to={userPath(task.user_id)}>
        {task.username}
      </Link>,
    ],
    task.channel !== null && [
      t('channel'),
      <Link key="channel" to={paths.channels} search={{ open: String(task.channel.id) }}>
        {task.channel.name}
      </Link>,
    ],
    [t('id'), <CopyableId key="id" text={task.id} what={t('id')} />],
    task.upstream_id !== '' && [
      t('upstreamId'),
      <CopyableId key="upstream" text={task.upstream_id} what={t('upstreamId')} />,
    ],
  ];
  return <DescriptionList facts={facts.filter((fact) => fact !== false)} />;
}

function TaskWorks({ task }: { task: Task }) {
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      {task.works.map((work) => (
        <ShownWork key={work.path + work.text} work={work} prompt={task.prompt} />
      ))}
    </Box>
  );
}

const look = { display: 'block', width: '100%', maxHeight: 480, borderRadius: 1, bgcolor: 'action.hover' };

function ShownWork({ work, prompt }: { work: Artifact; prompt: string }) {
  const { t } = useTranslation('tasks');
  const format = useFormat();
  const caption = [work.title, work.seconds === null ? '' : format.duration(work.seconds * 1000)]
    .filter((part) => part !== '')
    .join(' · ');
  if (work.expired)
    return (
      <Typography variant="body2" sx={{ p: 2, borderRadius: 1, bgcolor: 'action.hover', color: 'text.secondary' }}>
        {t('expired')}
      </Typography>
    );
  return (
    <Box component="figure" sx={{ m: 0 }}>
      {work.kind === 'video' && (
        <Box
          component="video"
          controls
          preload="metadata"
          src={work.path}
          aria-label={t('workOf', { prompt })}
          sx={look}
        />
      )}
      {work.kind === 'image' && (
        <a href={work.path} target="_blank" rel="noreferrer">
          <Box
            component="img"
            src={work.path}
            alt={t('workOf', { prompt })}
            loading="lazy"
            sx={{ ...look, objectFit: 'contain' }}
          />
        </a>
      )}
      {work.kind === 'audio' && (
        <Box
          component="audio"
          controls
          preload="none"
          src={work.path}
          aria-label={t('workOf', { prompt: work.title || prompt })}
          sx={{ display: 'block', width: '100%' }}
        />
      )}
      {work.kind === 'text' && <PlainText>{work.text}</PlainText>}
      {caption !== '' && (
        <Typography component="figcaption" variant="body2" sx={{ mt: 0.5, color: 'text.secondary' }}>
          {caption}
        </Typography>
      )}
    </Box>
  );
}
