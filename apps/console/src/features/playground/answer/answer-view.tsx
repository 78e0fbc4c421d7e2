import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import { useColorScheme } from '@mui/material/styles';
import type { ModelOutput, ToolCall } from '@switchyard/contract/playground/conversation';
import { IconArrowMerge, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { memo, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { PlainText } from '../../../ui/markdown/plain-text.tsx';
import type { Answer } from '../conversations/conversation.ts';
import { AnswerFacts } from './answer-usage-and-timing.tsx';
import { FailureNote } from './failure-note.tsx';
import { GeneratedFiles } from './generated-files.tsx';
import type { ColouredPart } from './highlight.ts';
import { type Block, growBlocks } from './markdown-blocks.ts';
import { ToolCallView, ToolResults } from './tool-calls-and-results.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

interface AnswerViewProps {
  answer: Answer;
  /** True to show the model's name, because the columns are stacked. */
  named: boolean;
  /** True if the response scrolls separately, because the columns are side by side. */
  pane: boolean;
  /** True if all columns continue from this response. */
  chosen: boolean;
  onStop: () => void;
  /** Absent when there is nothing to choose. */
  onChoose?: (() => void) | undefined;
  /** Present only for the last responses, which can be retried or given tool results. */
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
      <GeneratedFiles answer={answer} />
      {running && isEmpty(answer) && <Waiting />}
      {answer.state === 'stopped' && <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>{t('stopped')}</Box>}
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

/** Leaves room for the question above. */
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

function RoundView({ round }: { round: ModelOutput }) {
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

function SaidView({ said, running }: { said: ModelOutput; running: boolean }) {
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
    <Box role="status" sx={{ display: 'flex', alignItems: 'center', gap: 1, color: 'text.secondary', minHeight: 28 }}>
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

/**
 * Longest block in characters that is rendered as Markdown while it grows: each fragment renders it again.
 */
const LONGEST_GROWING = 10_000;

/** Shows a model's text as Markdown. While it grows, only its last blocks are parsed and rendered again. */
function AnswerText({ text, growing }: { text: string; growing: boolean }) {
  const [blocks, setBlocks] = useState(() => growBlocks(undefined, text));
  if (blocks.text !== text) setBlocks(growBlocks(blocks, text));
  if (!growing && isJson(text)) return <CodeView code={text.trim()} language="json" growing={false} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
      {blocks.settled.map((block) => (
        <BlockView key={block.at} block={block} growing={false} />
      ))}
      {blocks.open.map((block) => (
        <BlockView key={block.at} block={block} growing={growing} />
      ))}
    </Box>
  );
}

const BlockView = memo(function BlockView({ block, growing }: { block: Block; growing: boolean }) {
  if (block.kind === 'code') return <CodeView code={block.code} language={block.language} growing={growing} />;
  if (growing && block.text.length > LONGEST_GROWING) return <PlainText>{block.text}</PlainText>;
  return <Markdown text={block.text} />;
});

/** Returns whether the whole response is one JSON object or list, as in JSON mode. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Longest code in characters that is highlighted, because highlighting blocks the page. */
const LONGEST_COLOURED = 20_000;

/** Shows highlighted code; plain text while the highlighter loads or the code grows. */
function CodeView({ code, language, growing }: { code: string; language: string; growing: boolean }) {
  const { colorScheme } = useColorScheme();
  const scheme = colorScheme === 'dark' ? 'dark' : 'light';
  const { data } = useQuery({
    queryKey: ['playground', 'highlight', language, scheme, code],
    queryFn: async () => {
      const { highlight } = await import('./highlight.ts');
      return (await highlight(code, language, scheme)) ?? null;
    },
    enabled: !growing && language !== '' && code.length <= LONGEST_COLOURED,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  return <CodeBlock code={code}>{data == null ? undefined : coloured(data)}</CodeBlock>;
}

function coloured(parts: readonly ColouredPart[]): ReactNode {
  return parts.map(({ at, text, colour }) => (
    <span key={at} style={{ color: colour }}>
      {text}
    </span>
  ));
}
