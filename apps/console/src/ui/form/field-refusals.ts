import { ApiError } from '@switchyard/contract/exchange';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

const knownRules = [
  'required',
  'invalid_type',
  'too_small',
  'too_big',
  'invalid_format',
  'invalid_value',
  'already-exists',
  'address-not-allowed',
  'not-a-path',
  'unknown-mask',
  'needed-again',
  'one-line',
  'last-key',
  'wrong-password',
  'invalid_union',
  'unknown-group',
  'not-allowed',
  'common',
  'domain-not-allowed',
  'invitation-needed',
  'past',
] as const;

/** What the server refused of a form, field by field, in the user's language. */
export function useFieldRefusals(): (error: unknown) => { path: string; sentence: string }[] {
  const { t } = useTranslation('errors');
  return useCallback(
    (error) => {
      if (!(error instanceof ApiError)) return [];
      return error.fields.map(({ path, rule, message }) => {
        const known = knownRules.find((name) => name === rule);
        return { path, sentence: known === undefined ? message : t(`server.${known}`) };
      });
    },
    [t],
  );
}
