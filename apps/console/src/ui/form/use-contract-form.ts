import { describeExpectation } from '@switchyard/contract/errors';
import { useCallback, useMemo } from 'react';
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
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useNotifyError } from '../feedback/use-error-text.ts';
import { useServerErrorText, useServerFieldErrors } from './server-field-errors.ts';

interface FormOptions<Values extends FieldValues> {
  /** Schema of the body from the contract. */
  schema: z.ZodType<Values>;
  values: Values;
  /** Sends the values; an error is shown at its fields or as a toast. */
  onSubmit: (values: Values) => Promise<unknown>;
}

export interface ContractForm<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  submit: () => Promise<void>;
  /** Shows a server error at the fields that the form has, otherwise as a toast. */
  showRefusal: (error: unknown) => void;
}

/** Creates a form from a contract schema. Fields are validated on the first blur, then on each change. */
export function useContractForm<Values extends FieldValues>({
  schema,
  values,
  onSubmit,
}: FormOptions<Values>): ContractForm<Values> {
  const sentence = useIssueText();
  const notifyError = useNotifyError();
  const refusals = useServerFieldErrors();
  const resolver = useMemo(() => contractResolver(schema, sentence), [schema, sentence]);
  const form = useForm<Values>({ resolver, defaultValues: values as DefaultValues<Values>, mode: 'onTouched' });

  const showRefusal = (error: unknown) => {
    const found = refusals(error).filter(({ path }) => Object.hasOwn(values, path.split('.')[0] ?? ''));
    if (found.length === 0) notifyError(error);
    for (const [index, { path, sentence: message }] of found.entries()) {
      // Focusing another field would clear this error.
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

/**
 * Validates a form with the contract's schema. Forms hold decoded values (words, not the wire's integers), so
 * the schema runs in its encoding direction, which applies the same checks.
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

/** Returns only the changed values, so that another user's changes of other values are not overwritten. */
export function changedValues<Values extends object>(before: Values, after: Values): Partial<Values> {
  const changed: Partial<Values> = { ...after };
  for (const name in after) if (JSON.stringify(before[name]) === JSON.stringify(after[name])) delete changed[name];
  return changed;
}

type IssueText = (issue: z.core.$ZodIssue) => string;

/** Returns a function that explains a validation issue in the user's language, as one from the server. */
export function useIssueText(): IssueText {
  const { t } = useTranslation('errors');
  const sentenceOf = useServerErrorText();
  return useCallback(
    (issue) => sentenceOf({ rule: issue.code, message: t('rule.invalid'), ...describeExpectation(issue) }),
    [t, sentenceOf],
  );
}
