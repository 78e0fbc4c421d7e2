import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { SaveBar } from './save-bar.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import type { ContractForm } from './use-contract-form.ts';

interface FormProps<Values extends FieldValues> {
  form: ContractForm<Values>;
  children: ReactNode;
  /** On a page: a save bar while something is changed and a question before leaving. Dialogs bring their own buttons. */
  page?: boolean;
  id?: string;
}

export function Form<Values extends FieldValues>({
  form: { form, submit },
  children,
  page = false,
  id,
}: FormProps<Values>) {
  const { isDirty, isSubmitting } = form.formState;
  return (
    <Box
      component="form"
      noValidate
      {...(id === undefined ? {} : { id })}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void submit();
      }}
      sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}
    >
      {children}
      {page && (
        <>
          <SaveBar dirty={isDirty} saving={isSubmitting} onDiscard={() => form.reset()} />
          <UnsavedGuard dirty={isDirty && !isSubmitting} />
        </>
      )}
    </Box>
  );
}
