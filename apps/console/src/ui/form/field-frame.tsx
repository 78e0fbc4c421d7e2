import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import { lazy, type ReactNode, Suspense, useId } from 'react';

const Help = lazy(() => import('./field-help.tsx').then(({ Help }) => ({ default: Help })));

export interface FieldTexts {
  label: string;
  /** Help text behind a "?" beside the label. */
  help?: string | undefined;
  /** Text that is always below the field, for what users must know while typing. */
  hint?: string | undefined;
}

interface FieldFrameProps extends FieldTexts {
  error: string | undefined;
  children: (ids: { id: string; describedBy: string | undefined }) => ReactNode;
}

/** Renders a field with its label above and its error or hint below. */
export function FieldFrame({ label, help, hint, error, children }: FieldFrameProps) {
  const id = useId();
  const below = error ?? hint;
  const belowId = `${id}-below`;
  return (
    <Box sx={{ minWidth: 0 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, mb: 0.5 }}>
        <Box component="label" htmlFor={id} sx={{ fontSize: '0.8125rem', fontWeight: 500 }}>
          {label}
        </Box>
        {help !== undefined && (
          <Suspense fallback={null}>
            <Help text={help} />
          </Suspense>
        )}
      </Box>
      {children({ id, describedBy: below === undefined ? undefined : belowId })}
      {below !== undefined && (
        <FormHelperText id={belowId} error={error !== undefined} sx={{ mx: 0 }}>
          {below}
        </FormHelperText>
      )}
    </Box>
  );
}
