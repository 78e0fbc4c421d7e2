import { ApiError } from '@switchyard/contract/exchange';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/**
 * Says a failure in the user's language. The server's English message is added only where our sentence says
 * nothing specific.
 */
export function useErrorSentence(): (error: unknown) => string {
  const { t } = useTranslation('errors');
  return useCallback(
    (error: unknown) => {
      if (!(error instanceof ApiError)) {
        return t(error instanceof TypeError || isTimeout(error) ? 'code.unreachable' : 'code.unexpected');
      }
      const sentence = t(`code.${error.code}`);
      const vague =
        error.code === 'conflict' || error.code === 'upstream-failed' || error.code === 'not-supported';
      return vague && error.message !== '' ? `${sentence} ${error.message}` : sentence;
    },
    [t],
  );
}

export function requestIdOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.requestId : undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError');
}
