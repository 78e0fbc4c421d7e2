import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import type { Said, ToolCall } from '@switchyard/contract/playground/conversation';
import { IconArrowMerge, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/mono.tsx';
import type { Answer } from '../conversations/conversation.ts';
import { AnswerFacts } from './answer-facts.tsx';
import { AnswerText } from './answer-text.tsx';
import { FailureNote } from './failure-note.tsx';
import { MadeFiles } from './made-files.tsx';
import { ToolCallView, ToolResults } from './tool-calls.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

interface AnswerViewProps {
  answer: Answer;
  /** True if the response shows its model's name, because the columns are stacked. */
  named: boolean;
  /** It is scrolled by itself where the columns stand side by side. */
  pane: boolean;
  /** All columns go on from this one. */
  chosen: boolean;
  onStop: () => void;
  /** Absent where there is nothing to choose. */
  onChoose?: (() => void) | undefined;
  /** Only the last answers can be asked for again, and be given results of tools. */
  onRetry?: (() => void) | undefined;
  onResults?: ((results: ReadonlyMap<ToolCall, string>) => void) | undefined;
}

export function AnswerView(props: AnswerViewProps) {
  const { answer, named, pane, chosen, onStop, onChoose, onRetry, onResults } = props;
  const { t } = useTranslation(['playground', 'common']);
  const running = answer.state === 'running';
  const { place, onScroll } = useStickToBottom(running);
  const rounds = answer.rounds.map((round, place) => ({ round, place }));
  const asksForResults = answer.state === 'done' && answer.toolCalls.length > 0 && onResults !== undefined;
  return (
    <Box
      ref={place}
      onScroll={onScroll}
      component="article"
      aria-label={answer.model}
      aria-busy={running}
      {...(pane ? { tabIndex: 0 } : {})}
      sx={pane ? { ...column, maxHeight: { md: PANE_HEIGHT }, overflowY: { md: 'auto' } } : column}
    >
      {named && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, minHeight: 28 }}>
          <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
            <Mono>{answer.model}</Mono>
          </Box>
          {running && (
            <Action label={t('stopOne', { model: answer.model })} onClick={onStop}>
              <IconPlayerStop size={16} />
            </Action>
          )}
        </Box>
      )}
      {rounds.map(({ round, place }) => (
        <RoundView key={place} round={round} />
      ))}
      <SaidView said={answer} running={running} />
      {asksForResults ? (
        <ToolResults key={answer.id} calls={answer.toolCalls} onResults={onResults} />
      ) : (
        answer.toolCalls.map((call) => <ToolCallView key={call.place} call={call} />)
      )}
      <MadeFiles answer={answer} />
      {running && isEmpty(answer) && <Waiting />}
      {answer.state === 'stopped' && (
        <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>{t('stopped')}</Box>
      )}
      <FailureNote answer={answer} onRetry={onRetry} />
      {!running && (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, ml: -0.5 }}>
          {answer.text !== '' && <CopyButton text={answer.text} what={t('answer')} />}
          {onRetry !== undefined && answer.state !== 'failed' && (
            <Action label={t('again')} onClick={onRetry}>
              <IconRefresh size={16} />
            </Action>
          )}
          {onChoose !== undefined && answer.text !== '' && (
            <Action label={t('useThis')} pressed={chosen} onClick={onChoose}>
              <IconArrowMerge size={16} />
            </Action>
          )}
          <AnswerFacts said={answer} />
        </Box>
      )}
    </Box>
  );
}

/** The question stays in sight above it. */
const PANE_HEIGHT = '60vh';

const column = {
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 1,
  alignContent: 'start',
  minWidth: 0,
} as const;

const isEmpty = ({ text, reasoning, toolCalls }: Answer): boolean =>
  text === '' && reasoning === '' && toolCalls.length === 0;

interface ActionProps {
  label: string;
  pressed?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Action({ label, pressed, onClick, children }: ActionProps) {
  return (
    <IconButton
      size="small"
      title={label}
      aria-label={label}
      color={pressed === true ? 'primary' : 'default'}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      onClick={onClick}
    >
      {children}
    </IconButton>
  );
}

/** Shows an earlier round: the response before the tool results, and those results. */
function RoundView({ round }: { round: Said }) {
  return (
    <>
      <SaidView said={round} running={false} />
      {round.toolCalls.map((call) => (
        <ToolCallView key={call.place} call={call} />
      ))}
      <AnswerFacts said={round} />
    </>
  );
}

function SaidView({ said, running }: { said: Said; running: boolean }) {
  return (
    <>
      {said.reasoning !== '' && <Reasoning text={said.reasoning} growing={running && said.text === ''} />}
      {said.text !== '' && <AnswerText text={said.text} growing={running} />}
    </>
  );
}

function Waiting() {
  const { t } = useTranslation('playground');
  return (
    <Box
      role="status"
      sx={{ display: 'flex', alignItems: 'center', gap: 1, color: 'text.secondary', minHeight: 28 }}
    >
      <CircularProgress size={14} />
      {t('waiting')}
    </Box>
  );
}

function Reasoning({ text, growing }: { text: string; growing: boolean }) {
  const { t } = useTranslation('playground');
  return (
    <Box component="details" sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>
      <Box component="summary" sx={{ cursor: 'pointer', width: 'fit-content', borderRadius: 1 }}>
        {t(growing ? 'thinking' : 'thoughts')}
      </Box>
      <Box sx={{ borderLeft: 2, borderColor: 'divider', pl: 1.5, mt: 1 }}>
        <AnswerText text={text} growing={growing} />
      </Box>
    </Box>
  );
}
