import { ApiError } from '@switchyard/contract/http-exchange';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useServerErrorText } from '../form/server-field-errors.ts';
import { StepUpCancelled } from '../overlays/with-step-up.ts';
import { notify } from './toasts.ts';

/** Codes with several causes, which only the server's message tells apart. */
const vague: ReadonlySet<string> = new Set([
  'invalid-input',
  'conflict',
  'already-exists',
  'not-allowed',
  'not-found',
  'not-set-up',
  'not-supported',
  'switched-off',
  'too-large',
  'too-many-requests',
  'insufficient-balance',
  'upstream-failed',
  'unavailable',
  'link-expired',
]);

/** Seconds above which a wait is given in minutes, as in the server's messages. */
const SECONDS_SHOWN_MAX = 120;

/**
 * Returns a function that explains an error in the user's language. Vague error codes get the failed rules or
 * the server's English message added, which in English replaces the code's text.
 */
export function useErrorText(): (error: unknown) => string {
  const { t, i18n } = useTranslation('errors');
  const sentenceOf = useServerErrorText();
  const isEnglish = i18n.language === 'en_US';
  return useCallback(
    (error: unknown) => {
      if (!(error instanceof ApiError)) {
        return t(error instanceof TypeError || isTimeout(error) ? 'code.unreachable' : 'code.unexpected');
      }
      const { code, message, retryAfterSeconds: seconds } = error;
      const fields = error.fields.map((field) =>
        [field.path, sentenceOf(field)].filter((part) => part !== '').join(': '),
      );
      if (code === 'invalid-input' && fields.length > 0) return t('invalidFields', { fields: fields.join('; ') });
      const isLimited = code === 'too-many-requests' && seconds !== undefined;
      const sentence = isLimited
        ? t(seconds > SECONDS_SHOWN_MAX ? 'retryInMinutes' : 'retryIn', { seconds, minutes: Math.ceil(seconds / 60) })
        : t(`code.${code}`);
      if (!vague.has(code) || (isLimited && !isEnglish)) return sentence;
      const reason = fields.length > 0 && code !== 'already-exists' ? fields.join('; ') : message;
      return isEnglish && code !== 'upstream-failed' ? reason : `${sentence} ${reason}`;
    },
    [t, sentenceOf, isEnglish],
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
