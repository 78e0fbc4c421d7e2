import Skeleton from '@mui/material/Skeleton';
import { lazy, Suspense } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { FieldFrame } from '../form/field-frame.tsx';
import type { FieldProps } from './text-input.tsx';

const JsonEditor = lazy(() =>
  import('./json-editor.tsx').then(({ JsonEditor }) => ({ default: JsonEditor })),
);

/** JSON as text, in an editor that loads when it is first shown. */
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
