import type { Failure } from '@switchyard/contract/playground/conversation';
import { useTranslation } from 'react-i18next';

const known = [
  'unreachable',
  'silent',
  'cut_off',
  'not_understood',
  'recording_gone',
  'invalid_request',
  'invalid_api_key',
  'model_not_allowed',
  'model_not_found',
  'group_not_allowed',
  'insufficient_quota',
  'rate_limit_exceeded',
  'request_too_large',
  'no_available_channel',
  'channel_cap_reached',
  'upstream_rejected',
  'upstream_error',
  'upstream_saturated',
  'server_is_overloaded',
  'context_length_exceeded',
  'server_error',
] as const;
/** Errors for which the provider's own message is the most helpful. */
const told = new Set(['invalid_request', 'upstream_rejected']);

/** Says in the user's language why an answer failed. */
export function useFailureSentence(): (failure: Failure) => string {
  const { t } = useTranslation('playground');
  return ({ code, message }) => {
    const word = known.find((name) => name === code);
    const sentence = t(`failure.${word ?? 'other'}`);
    return (word === undefined || told.has(word)) && message !== '' ? `${sentence} ${message}` : sentence;
  };
}
