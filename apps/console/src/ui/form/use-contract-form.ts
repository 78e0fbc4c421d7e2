import { useMemo } from 'react';
import {
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import type { z } from 'zod';
import { useNotifyError } from '../feedback/use-notify-error.ts';
import { contractResolver } from './contract-resolver.ts';
import { useIssueText } from './issue-text.ts';
import { useServerFieldErrors } from './server-field-errors.ts';

interface FormOptions<Values extends FieldValues> {
  /** The body's schema from the contract. */
  schema: z.ZodType<Values>;
  values: Values;
  /** Sends; what it throws is shown at the fields or as a notice. */
  onSubmit: (values: Values) => Promise<unknown>;
}

export interface ContractForm<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  submit: () => Promise<void>;
  /** Shows why the server refused: at those of its fields that the form has, otherwise as a notice. */
  showRefusal: (error: unknown) => void;
}

/** A form over a schema of the contract: checked while typing after the first try, refusals shown at their fields. */
export function useContractForm<Values extends FieldValues>({
  schema,
  values,
  onSubmit,
}: FormOptions<Values>): ContractForm<Values> {
  const sentence = useIssueText();
  const notifyError = useNotifyError();
  const refusals = useServerFieldErrors();
  const resolver = useMemo(() => contractResolver(schema, sentence), [schema, sentence]);
  const form = useForm<Values>({
    resolver,
    defaultValues: values as DefaultValues<Values>,
    mode: 'onTouched',
  });

  const showRefusal = (error: unknown) => {
    const found = refusals(error).filter(({ path }) => Object.hasOwn(values, path.split('.')[0] ?? ''));
    if (found.length === 0) notifyError(error);
    for (const [index, { path, sentence: message }] of found.entries()) {
      // Moving the focus on would clear the refusal that it left.
      form.setError(path as FieldPath<Values>, { message }, { shouldFocus: index === 0 });
    }
  };
  const submit = form.handleSubmit(async (sent) => {
    try {
      await onSubmit(sent);
    } catch (error) {
      showRefusal(error);
    }
  });
  return { form, submit: () => submit(), showRefusal };
}
