import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { lazy, type ReactNode, Suspense } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { FieldFrame } from '../form/field-frame.tsx';
import type { FieldProps } from './text-input.tsx';

interface RowsOrJsonProps {
  label: string;
  rows: ReactNode;
  /** JSON text in the editor; undefined while rows are edited. */
  json: string | undefined;
  onJson: (typed: string) => void;
  onBlur: () => void;
  /** Button that switches between rows and JSON. */
  turn: { label: string; disabled: boolean; onClick: () => void };
}

/** Edits one value as rows or as JSON. */
export function RowsOrJson({ label, rows, json, onJson, onBlur, turn }: RowsOrJsonProps) {
  return (
    <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
      {json === undefined ? (
        rows
      ) : (
        <Box sx={{ width: '100%' }}>
          <Suspense fallback={<Skeleton variant="rounded" height={180} />}>
            <JsonEditor label={label} value={json} onChange={onJson} onBlur={onBlur} />
          </Suspense>
        </Box>
      )}
      <Button size="small" color="inherit" disabled={turn.disabled} onClick={turn.onClick}>
        {turn.label}
      </Button>
    </Box>
  );
}

const JsonEditor = lazy(() => import('./json-editor.tsx').then(({ JsonEditor }) => ({ default: JsonEditor })));

/** Edits JSON text in an editor that loads when it is first shown. */
export function JsonInput<Values extends FieldValues>(props: FieldProps<Values> & { height?: number }) {
  const { label, help, hint, height } = props;
  const { field, fieldState } = useController(props);
  return (
    <FieldFrame label={label} help={help} hint={hint} error={fieldState.error?.message}>
      {() => (
        <Suspense fallback={<Skeleton variant="rounded" height={height ?? 180} />}>
          <JsonEditor
            label={label}
            height={height}
            value={field.value ?? ''}
            onChange={field.onChange}
            onBlur={field.onBlur}
          />
        </Suspense>
      )}
    </FieldFrame>
  );
}

/** Returns the line of a JSON error from the message of `JSON.parse`, if the browser reports it. */
export function jsonErrorLine(error: unknown): number | undefined {
  const line = error instanceof Error ? /line (\d+)/.exec(error.message)?.[1] : undefined;
  return line === undefined ? undefined : Number(line);
}
