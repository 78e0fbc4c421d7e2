import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import type { CreateChannel } from '@switchyard/contract/channels/channels';
import { lazy, Suspense } from 'react';
import type { FieldErrors } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { useIssueText } from '../../../ui/form/validation-issue-text.ts';
import { ChannelDiff } from './channel-diff.tsx';
import type { JsonProblem, ReadJson } from './channel-json.ts';

const JsonEditor = lazy(() =>
  import('../../../ui/inputs/json-editor.tsx').then(({ JsonEditor }) => ({ default: JsonEditor })),
);

const HEIGHT = 480;

interface ChannelJsonEditorProps {
  text: string;
  read: ReadJson;
  /** Stored channel, or the initial values of a new one. */
  before: CreateChannel;
  /** Errors from the form or the server. */
  errors: FieldErrors<CreateChannel>;
  onChange: (text: string) => void;
}

/** Edits the whole channel as JSON, and shows errors and changes. */
export function ChannelJsonEditor({ text, read, before, errors, onChange }: ChannelJsonEditorProps) {
  const { t } = useTranslation('channels');
  const problems = 'problems' in read ? read.problems : [];
  const refusals = messagesIn(errors);
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.5 }}>
      <Box sx={{ color: 'text.secondary', fontSize: '0.8125rem' }}>{t('json.hint')}</Box>
      <Suspense fallback={<Skeleton variant="rounded" height={HEIGHT} />}>
        <JsonEditor label={t('json.label')} height={HEIGHT} value={text} onChange={onChange} onBlur={noop} />
      </Suspense>
      {problems.length + refusals.length > 0 && (
        <Alert severity="error" aria-live="polite">
          <Box component="ul" sx={{ m: 0, pl: 2 }}>
            {problems.map((problem) => (
              <Problem key={JSON.stringify([problem.kind, pathOf(problem)])} problem={problem} />
            ))}
            {refusals.map(({ path, message }) => (
              <li key={path}>
                <Mono>{path}</Mono>: {message}
              </li>
            ))}
          </Box>
        </Alert>
      )}
      {'values' in read && <ChannelDiff before={before} after={read.values} />}
    </Box>
  );
}

function Problem({ problem }: { problem: JsonProblem }) {
  const { t } = useTranslation('channels');
  const sentence = useIssueText();
  if (problem.kind === 'not-json') {
    const { line } = problem;
    return <li>{line === undefined ? t('edits.import.noJson') : t('json.notJsonAt', { line })}</li>;
  }
  const says = problem.kind === 'unknown-field' ? t('json.unknown') : sentence(problem.issue);
  return (
    <li>
      {problem.path !== '' && (
        <>
          <Mono>{problem.path}</Mono>
          {': '}
        </>
      )}
      {says}
    </li>
  );
}

const pathOf = (problem: JsonProblem): string => ('path' in problem ? problem.path : '');
const noop = () => {};

/** Returns every message of a form's errors with the path of its field. */
function messagesIn(errors: object, path: readonly string[] = []): { path: string; message: string }[] {
  return Object.entries(errors).flatMap(([name, error]: [string, unknown]) => {
    if (typeof error !== 'object' || error === null) return [];
    const inner = [...path, name];
    if ('message' in error && typeof error.message === 'string')
      return [{ path: inner.join('.'), message: error.message }];
    return messagesIn(error, inner);
  });
}
