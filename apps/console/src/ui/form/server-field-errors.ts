import { ApiError } from '@switchyard/contract/http-exchange';
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
  'has-credentials',
  'unknown-mask',
  'needed-again',
  'one-line',
  'last-key',
  'wrong-password',
  'invalid_union',
  'unknown-group',
  'unchangeable',
  'not-allowed',
  'common',
  'domain-not-allowed',
  'invitation-needed',
  'past',
  'unknown-provider',
  'changed-meanwhile',
  'not-written',
  'conflict',
  'no-channels',
  'unreadable',
  'bad-json',
  'unknown-list',
  'list-too-long',
  'empty-list',
  'no-answer',
] as const;

interface Refused {
  rule: string;
  message: string;
}

/** Returns a function that explains in the user's language why the server refused a field. */
export function useServerErrorText(): (refused: Refused) => string {
  const { t } = useTranslation('errors');
  return useCallback(
    ({ rule, message }) => {
      const known = knownRules.find((name) => name === rule);
      return known === undefined ? message : t(`server.${known}`);
    },
    [t],
  );
}

/** Returns a function that lists the refused fields, each with a text in the user's language. */
export function useServerFieldErrors(): (error: unknown) => { path: string; sentence: string }[] {
  const sentenceOf = useServerErrorText();
  return useCallback(
    (error) => {
      if (!(error instanceof ApiError)) return [];
      return error.fields.map((refused) => ({ path: refused.path, sentence: sentenceOf(refused) }));
    },
    [sentenceOf],
  );
}
