import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Form } from './form.tsx';
import { SaveBar } from './save-bar.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import type { ContractForm } from './use-contract-form.ts';

/** A form that is a page: a save bar while something is changed and a question before leaving. */
export function PageForm<Values extends FieldValues>({
  form,
  children,
}: {
  form: ContractForm<Values>;
  children: ReactNode;
}) {
  const { isDirty, isSubmitting } = form.form.formState;
  return (
    <Form form={form}>
      {children}
      <SaveBar dirty={isDirty} saving={isSubmitting} onDiscard={() => form.form.reset()} />
      <UnsavedGuard dirty={isDirty && !isSubmitting} />
    </Form>
  );
}
