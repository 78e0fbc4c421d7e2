import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Form } from './form.tsx';
import { SaveBar } from './save-bar.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import type { ContractForm } from './use-contract-form.ts';

/** A form that is a page: a save bar while something is changed and a question before leaving. */
export function PageForm<Values extends FieldValues>({
  form,
  summary,
  children,
}: {
  form: ContractForm<Values>;
  /** For the save bar: what is not saved yet. */
  summary?: ReactNode;
  children: ReactNode;
}) {
  const { isDirty, isSubmitting } = form.form.formState;
  return (
    <Form form={form}>
      {children}
      <SaveBar dirty={isDirty} saving={isSubmitting} summary={summary} onDiscard={() => form.form.reset()} />
      <UnsavedGuard dirty={isDirty && !isSubmitting} />
    </Form>
  );
}
