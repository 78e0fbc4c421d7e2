import { ApiError } from '@switchyard/contract/billing/exchange';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useServerErrorText } from '../form/server-field-errors.ts';

/**
 * Says a failure in the user's language. Where our sentence says nothing specific, the rules that were broken are added,
 * or else the server's English message.
 */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation('errors');
  const sentenceOf = useServerErrorText();
  return useCallback(
    (error: unknown) => {
      if (!(error instanceof ApiError)) {
        return t(error instanceof TypeError || isTimeout(error) ? 'code.unreachable' : 'code.unexpected');
      }
      const sentence = t(`code.${error.code}`);
      const vague =
        error.code === 'conflict' || error.code === 'upstream-failed' || error.code === 'not-supported';
      if (!vague) return sentence;
      const details = error.fields.length > 0 ? error.fields.map(sentenceOf) : [error.message];
      return [sentence, ...details].join(' ').trim();
    },
    [t, sentenceOf],
  );
}

export function requestIdOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.requestId : undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError');
}
