import { useMemo } from 'react';
import {
  type DefaultValues,
  type FieldError,
  type FieldErrors,
  type FieldPath,
  type FieldValues,
  type Resolver,
  set,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import { z } from 'zod';
import { useNotifyError } from '../feedback/use-error-text.ts';
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

export type IssueText = (issue: z.core.$ZodIssue) => string;

/**
 * Checks a form against the contract's own schema. Forms hold decoded values (words, not the wire's integers),
 * so the schema runs in its encoding direction, which applies the same checks.
 */
export function contractResolver<Values extends FieldValues>(
  schema: z.ZodType<Values>,
  sentence: IssueText,
): Resolver<Values> {
  return (values) => {
    const result = z.safeEncode(schema, values, { reportInput: true });
    if (result.success) return { values, errors: {} };
    const errors: FieldErrors<Values> = {};
    for (const issue of result.error.issues) {
      const path = issue.path.join('.');
      const error: FieldError = { type: issue.code, message: sentence(issue) };
      set(errors, path === '' ? 'root' : path, error);
    }
    return { values: {}, errors };
  };
}

/** Those that differ: what is not sent stays as it is, also where somebody else has changed it meanwhile. */
export function changedValues<Values extends object>(before: Values, after: Values): Partial<Values> {
  const changed: Partial<Values> = { ...after };
  for (const name in after)
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) delete changed[name];
  return changed;
}
