import { ApiError } from '@switchyard/contract/exchange';
import { useMemo } from 'react';
import {
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { useNotifyError } from '../use-notify-error.ts';
import { contractResolver } from './contract-resolver.ts';
import { useIssueSentence } from './issue-sentence.ts';

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
  /** Shows why the server refused: at the fields it names, otherwise as a notice. */
  showRefusal: (error: unknown) => void;
}

const knownRules = [
  'required',
  'invalid_type',
  'too_small',
  'too_big',
  'invalid_format',
  'invalid_value',
  'already-exists',
  'address-not-allowed',
  'unknown-mask',
  'needed-again',
  'one-line',
  'wrong-password',
  'invalid_union',
  'unknown-group',
  'not-allowed',
] as const;

/** A form over a schema of the contract: checked while typing after the first try, refusals shown at their fields. */
export function useContractForm<Values extends FieldValues>({
  schema,
  values,
  onSubmit,
}: FormOptions<Values>): ContractForm<Values> {
  const { t } = useTranslation('errors');
  const sentence = useIssueSentence();
  const notifyError = useNotifyError();
  const resolver = useMemo(() => contractResolver(schema, sentence), [schema, sentence]);
  const form = useForm<Values>({
    resolver,
    defaultValues: values as DefaultValues<Values>,
    mode: 'onTouched',
  });

  const showRefusal = (error: unknown) => {
    if (!(error instanceof ApiError) || error.fields.length === 0) {
      notifyError(error);
      return;
    }
    for (const [index, { path, rule, message }] of error.fields.entries()) {
      const known = knownRules.find((name) => name === rule);
      form.setError(
        path as FieldPath<Values>,
        { message: known === undefined ? message : t(`server.${known}`) },
        // Moving the focus on would clear the refusal that it left.
        { shouldFocus: index === 0 },
      );
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
