import { ApiError } from '@switchyard/contract/http-exchange';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useServerErrorText } from '../form/server-field-errors.ts';
import { StepUpCancelled } from '../overlays/with-step-up.ts';
import { notify } from './toasts.ts';

/**
 * Returns a function that explains an error in the user's language. Vague error codes get the failed rules or
 * the server's English message added.
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
      const vague = error.code === 'conflict' || error.code === 'upstream-failed' || error.code === 'not-supported';
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

/** Returns a function that reports an error in a toast, with the request id if there is one. */
export function useNotifyError(): (error: unknown) => void {
  const sentence = useErrorText();
  return useCallback(
    (error: unknown) => {
      if (error instanceof StepUpCancelled) return;
      notify('error', sentence(error), { detail: requestIdOf(error) });
    },
    [sentence],
  );
}
