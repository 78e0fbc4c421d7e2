import { type FormEvent, useState } from 'react';
import { useErrorText } from '../feedback/use-error-text.ts';
import type { PlainField } from '../inputs/plain-input.tsx';
import { useServerFieldErrors } from './server-field-errors.ts';

type Errors<Name extends string> = Partial<Record<Name, string | undefined>>;

interface PlainFormOptions<Name extends string> {
  values: Record<Name, string>;
  /** Returns error texts for invalid values before they are sent. */
  check: (values: Record<Name, string>) => Errors<Name>;
  /** Reason why valid values cannot be sent yet. */
  blocked?: string | undefined;
  send: (values: Record<Name, string>) => Promise<unknown>;
}

/** Manages a form of a few texts without the form library, for screens that visitors load first. */
export function usePlainForm<Name extends string>(options: PlainFormOptions<Name>) {
  const [values, setValues] = useState(options.values);
  const [errors, setErrors] = useState<Errors<Name>>({});
  const [failure, setFailure] = useState<string>();
  const [sending, setSending] = useState(false);
  const sentence = useErrorText();
  const refusals = useServerFieldErrors();
  const isField = (name: string): name is Name => name in values;

  /** Shows a server error at its fields, otherwise above the button. */
  const showRefusal = (error: unknown) => {
    const found: Errors<Name> = {};
    for (const { path, sentence: text } of refusals(error)) if (isField(path)) found[path] = text;
    setErrors(found);
    setFailure(Object.keys(found).length === 0 ? sentence(error) : undefined);
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const wrong = options.check(values);
    setErrors(wrong);
    setFailure(undefined);
    const [first] = Object.entries(wrong).find(([, text]) => text !== undefined) ?? [];
    if (first !== undefined) {
      form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
      return;
    }
    if (options.blocked !== undefined) {
      setFailure(options.blocked);
      return;
    }
    setSending(true);
    await options.send(values).catch(showRefusal);
    setSending(false);
  };
  const field = (name: Name): PlainField => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: (value) => {
      setValues((current) => ({ ...current, [name]: value }));
      setErrors((current) => ({ ...current, [name]: undefined }));
    },
  });
  return {
    values,
    failure,
    sending,
    field,
    submit: (event: FormEvent<HTMLFormElement>) => void submit(event),
    showRefusal,
    showErrors: setErrors,
  };
}
