import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useReportUnsavedInput, useTrackUnsavedInput } from '../overlays/unsaved-input.ts';
import type { ContractForm } from './use-contract-form.ts';

/** A form in a dialog, a drawer or on a public page; it brings its own buttons. */
export function Form<Values extends FieldValues>({
  form,
  children,
}: {
  form: ContractForm<Values>;
  children: ReactNode;
}) {
  const { isDirty, isSubmitting } = form.form.formState;
  useReportUnsavedInput(isDirty && !isSubmitting);
  useTrackUnsavedInput(isDirty);
  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void form.submit();
      }}
      sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}
    >
      {children}
    </Box>
  );
}
