import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import type { CreateChannel, Provider } from '@switchyard/contract/channels/channels';
import { lazy, Suspense } from 'react';
import type { FieldErrors } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { useIssueText } from '../../../ui/form/use-contract-form.ts';
import { jsonErrorLine } from '../../../ui/inputs/json-or-rows-input.tsx';
import { ChannelDiff } from './channel-diff.tsx';
import { withKnownOptions } from './channel-form-values.ts';

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

type JsonProblem =
  | { kind: 'not-json'; line: number | undefined }
  | { kind: 'unknown-field'; path: string }
  | { kind: 'refused'; path: string; issue: z.core.$ZodIssue };

type ReadJson = { values: CreateChannel } | { problems: JsonProblem[] };

/**
 * Returns a channel's form as JSON.
 * @param isNew includes `keys_as`, which only a new channel has
 */
export function jsonOf(values: CreateChannel, providers: readonly Provider[], isNew: boolean): string {
  const provider = providers.find(({ type }) => type === values.type);
  const { keys_as, ...fields } = withKnownOptions(values, provider);
  return JSON.stringify(isNew ? { ...fields, keys_as } : fields, null, 2);
}

/** Parses the JSON and reports fields that the schema does not know, which it would silently drop. */
export function readJson(text: string, schema: z.ZodType<CreateChannel>, providers: readonly Provider[]): ReadJson {
  let typed: unknown;
  try {
    typed = JSON.parse(text);
  } catch (error) {
    return { problems: [{ kind: 'not-json', line: jsonErrorLine(error) }] };
  }
  const parsed = schema.safeParse(typed, { reportInput: true });
  if (!parsed.success)
    return { problems: parsed.error.issues.map((issue) => ({ kind: 'refused', path: issue.path.join('.'), issue })) };
  const values = parsed.data;
  const known = providers.find(({ type }) => type === values.type)?.options.map(({ name }) => name) ?? [];
  const options = Object.keys(values.options).filter((name) => !known.includes(name));
  const unknown = [...unknownPaths(typed, values), ...options.map((name) => `options.${name}`)];
  if (unknown.length === 0) return { values };
  return { problems: unknown.map((path) => ({ kind: 'unknown-field', path })) };
}

/** Returns the paths that the text has but the parsed result lacks. */
function unknownPaths(typed: unknown, taken: unknown, path: readonly string[] = []): string[] {
  if (typeof typed !== 'object' || typed === null || typeof taken !== 'object' || taken === null) return [];
  const known = new Map(Object.entries(taken));
  return Object.entries(typed).flatMap(([name, value]) => {
    const inner = [...path, name];
    return known.has(name) ? unknownPaths(value, known.get(name), inner) : [inner.join('.')];
  });
}
