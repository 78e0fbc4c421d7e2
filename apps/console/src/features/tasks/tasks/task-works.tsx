import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Task, Work } from '@switchyard/contract/tasks/tasks';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PlainText } from '../../../ui/markdown/plain-text.tsx';

/** Shows a task's artifacts to look at, play or read. */
export function TaskWorks({ task }: { task: Task }) {
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      {task.works.map((work) => (
        <ShownWork key={work.path + work.text} work={work} prompt={task.prompt} />
      ))}
    </Box>
  );
}

const look = { display: 'block', width: '100%', maxHeight: 480, borderRadius: 1, bgcolor: 'action.hover' };

function ShownWork({ work, prompt }: { work: Work; prompt: string }) {
  const { t } = useTranslation('tasks');
  const format = useFormat();
  const caption = [work.title, work.seconds === null ? '' : format.duration(work.seconds * 1000)]
    .filter((part) => part !== '')
    .join(' · ');
  if (work.expired)
    return (
      <Typography
        variant="body2"
        sx={{ p: 2, borderRadius: 1, bgcolor: 'action.hover', color: 'text.secondary' }}
      >
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
