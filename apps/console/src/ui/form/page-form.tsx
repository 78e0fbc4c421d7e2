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
  unreadable = false,
  onDiscard,
  children,
}: {
  form: ContractForm<Values>;
  /** Summary of the unsaved changes for the save bar. */
  summary?: ReactNode;
  /** Something was typed that is no value of the form: it can be discarded, and not be saved. */
  unreadable?: boolean;
  /** Instead of setting the form back. */
  onDiscard?: () => void;
  children: ReactNode;
}) {
  const { isDirty, isSubmitting } = form.form.formState;
  const dirty = isDirty || unreadable;
  return (
    <Form form={unreadable ? { ...form, submit: async () => {} } : form}>
      {children}
      <SaveBar
        dirty={dirty}
        saving={isSubmitting}
        unreadable={unreadable}
        summary={summary}
        onDiscard={onDiscard ?? (() => form.form.reset())}
      />
      <UnsavedGuard dirty={dirty && !isSubmitting} />
    </Form>
  );
}
