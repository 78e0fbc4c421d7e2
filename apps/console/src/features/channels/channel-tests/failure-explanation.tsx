import Box from '@mui/material/Box';
import type { StoredTest } from '@switchyard/contract/channels/channel-tests';
import { ApiError } from '@switchyard/contract/http-exchange';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';

type Found = Pick<StoredTest, 'problem' | 'message'> & Partial<Pick<StoredTest, 'finding'>>;

/** Shows a failure with its details, a remedy and, on a click, the provider's own message. */
export function FailureExplanation({ problem, message, finding }: Found) {
  const { t } = useTranslation('channels');
  return (
    <Box sx={{ fontSize: '0.8125rem', overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
      {problem !== null && (
        <>
          <Box component="span" sx={{ fontWeight: 500 }}>
            {t(`tests.problem.${problem}.is`)}
          </Box>{' '}
          {t(`tests.problem.${problem}.do`)}{' '}
        </>
      )}
      {finding && (
        <span>
          {t(`tests.finding.${finding.code}`, { wanted: isolateBidi(finding.wanted), said: isolateBidi(finding.said) })}
        </span>
      )}
      {problem === null && finding === undefined && <span>{message}</span>}
      {problem !== null && message !== '' && (
        <Box component="details" sx={{ mt: 0.5 }}>
          <Box component="summary" sx={{ cursor: 'pointer', color: 'text.secondary' }}>
            {t('tests.details')}
          </Box>
          <Mono>{message}</Mono>
        </Box>
      )}
    </Box>
  );
}

/** Returns a function that reports a failed provider call with its remedy and the provider's own message. */
export function useNotifyProblem(): (error: unknown) => void {
  const { t } = useTranslation('channels');
  const notifyError = useNotifyError();
  return (error) => {
    const problem = error instanceof ApiError ? error.problem : undefined;
    if (!(error instanceof ApiError) || problem === undefined) return notifyError(error);
    const sentences = [t(`tests.problem.${problem}.is`), t(`tests.problem.${problem}.do`)];
    notify('error', sentences.join(' '), { detail: error.message });
  };
}
