import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import type { ModelOutput } from '@switchyard/contract/playground/conversation';
import { IconGitBranch, IconPencil } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { isComposing } from '../../../ui/browser/ime-composition.ts';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { FileChip } from '../composer/attachment-list.tsx';
import type { Chat, Prompt } from '../composer/use-chat.ts';
import type { Answer, Turn } from '../conversations/conversation.ts';
import { answerCostQuery } from '../page/queries.ts';
import { AnswerView } from './answer-view.tsx';

interface TurnViewProps extends Pick<Chat, 'resend' | 'retry' | 'giveResults' | 'choose' | 'stop'> {
  turn: Turn;
  last: boolean;
  together: boolean;
  /** Callback that starts a separate conversation that ends with this turn. */
  onBranch: (turnId: string) => void;
}

/** Shows a question and the response of each model. */
export const TurnView = memo(function TurnView({ turn, last, together, onBranch, ...chat }: TurnViewProps) {
  const columns = turn.answers.length;
  const several = columns > 1;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 0.5 }}>
      <Question turn={turn} onResend={(prompt) => chat.resend(turn.id, prompt)} onBranch={() => onBranch(turn.id)} />
      <Box
        sx={{
          display: 'grid',
          gap: { xs: 2.5, md: 3 },
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: `repeat(${columns}, minmax(0, 1fr))` },
        }}
      >
        {turn.answers.map((answer, column) => (
          <AnswerView
            key={answer.id}
            answer={answer}
            named={several}
            pane={several && !together}
            chosen={turn.chosen === column}
            onStop={() => chat.stop(answer.id)}
            onChoose={
              several && turn.for === 'text'
                ? () => chat.choose(turn.id, turn.chosen === column ? undefined : column)
                : undefined
            }
            onRetry={last ? () => chat.retry(turn.id, column) : undefined}
            onResults={last ? (results) => chat.giveResults(turn.id, column, results) : undefined}
          />
        ))}
      </Box>
      {several && <TurnSummary answers={turn.answers} />}
    </Box>
  );
});

interface QuestionProps {
  turn: Turn;
  onResend: (prompt: Prompt) => void;
  onBranch: () => void;
}

function Question({ turn, onResend, onBranch }: QuestionProps) {
  const { t } = useTranslation(['playground', 'common']);
  const [draft, setDraft] = useState<string>();
  if (draft !== undefined) {
    return (
      <EditQuestion
        draft={draft}
        onChange={setDraft}
        onCancel={() => setDraft(undefined)}
        onSend={() => {
          setDraft(undefined);
          onResend({ text: draft.trim(), images: turn.images, files: turn.files });
        }}
      />
    );
  }
  return (
    <Box
      sx={{
        justifySelf: 'end',
        maxWidth: { xs: '92%', md: '80%' },
        display: 'grid',
        justifyItems: 'end',
        '&:hover .question-actions, &:focus-within .question-actions': { opacity: 1 },
      }}
    >
      <Box sx={{ bgcolor: 'primary.soft', color: 'text.primary', borderRadius: 1.5, px: 1.5, py: 1, maxWidth: '100%' }}>
        {turn.images.length > 0 && <Pictures images={turn.images} />}
        {turn.files.length > 0 && (
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: turn.text === '' ? 0 : 1 }}>
            {turn.files.map((file) => (
              <FileChip key={file.data ?? file.name} name={file.name} />
            ))}
          </Box>
        )}
        <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{turn.text}</Box>
      </Box>
      <Box
        className="question-actions"
        sx={{ display: 'flex', mt: 0.25, opacity: { md: 0 }, '@media (hover: none)': { opacity: 1 } }}
      >
        {turn.text !== '' && <CopyButton text={turn.text} what={t('question')} />}
        <IconButton
          size="small"
          title={t('common:edit')}
          aria-label={t('editQuestion')}
          onClick={() => setDraft(turn.text)}
        >
          <IconPencil size={16} />
        </IconButton>
        <IconButton size="small" title={t('branch')} aria-label={t('branch')} onClick={onBranch}>
          <IconGitBranch size={16} />
        </IconButton>
      </Box>
    </Box>
  );
}

function Pictures({ images }: { images: readonly string[] }) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 1 }}>
      {images.map((url, index) => (
        <Box
          component="img"
          key={url}
          src={url}
          alt={t('picture', { number: index + 1 })}
          sx={{ maxHeight: 180, maxWidth: '100%', borderRadius: 1 }}
        />
      ))}
    </Box>
  );
}

interface EditQuestionProps {
  draft: string;
  onChange: (draft: string) => void;
  onCancel: () => void;
  onSend: () => void;
}

function EditQuestion({ draft, onChange, onCancel, onSend }: EditQuestionProps) {
  const { t } = useTranslation(['playground', 'common']);
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      <OutlinedInput
        multiline
        autoFocus
        fullWidth
        maxRows={12}
        value={draft}
        inputProps={{ 'aria-label': t('question') }}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') onCancel();
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          if (draft.trim() !== '') onSend();
        }}
      />
      <Box sx={{ display: 'flex', justifyContent: 'flex-end', gap: 1 }}>
        <Button size="small" color="inherit" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button size="small" variant="contained" disabled={draft.trim() === ''} onClick={onSend}>
          {t('resend')}
        </Button>
      </Box>
    </Box>
  );
}

/** Shows the cheapest and the fastest of several responses, once all of their costs are known. */
function TurnSummary({ answers }: { answers: readonly Answer[] }) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  const done = answers.filter(({ state }) => state === 'done');
  const requests = done.flatMap((answer) => roundsOf(answer).map(({ requestId = '' }) => requestId));
  const costs = useQueries({ queries: requests.map(answerCostQuery) });
  if (done.length < 2 || costs.some(({ data }) => data == null)) return null;
  const points = new Map(requests.map((requestId, index) => [requestId, costs[index]?.data?.quota ?? 0]));
  const totals = done.map((answer) => ({
    model: answer.model,
    points: sumOf(roundsOf(answer), ({ requestId = '' }) => points.get(requestId) ?? 0),
    ms: sumOf(roundsOf(answer), ({ totalMs = 0 }) => totalMs),
  }));
  const cheapest = totals.toSorted((a, b) => a.points - b.points)[0];
  const fastest = totals.toSorted((a, b) => a.ms - b.ms)[0];
  if (cheapest === undefined || fastest === undefined) return null;
  return (
    <Box role="note" aria-label={t('comparison')} sx={row}>
      <span>
        {t('cheapest')} <Mono>{cheapest.model}</Mono> {format.points(cheapest.points)}
      </span>
      <span>
        {t('fastest')} <Mono>{fastest.model}</Mono> {format.duration(fastest.ms)}
      </span>
    </Box>
  );
}

const roundsOf = (answer: Answer): ModelOutput[] => [...answer.rounds, answer];

function sumOf(rounds: readonly ModelOutput[], of: (said: ModelOutput) => number): number {
  return rounds.reduce((sum, said) => sum + of(said), 0);
}

const row = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 3,
  rowGap: 0.5,
  pt: 1,
  borderTop: 1,
  borderColor: 'divider',
  fontSize: '0.8125rem',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
} as const;
