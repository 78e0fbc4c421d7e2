import Box from '@mui/material/Box';
import type { KeptTest } from '@switchyard/contract/channels/channel-tests';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { Mono } from '../../../ui/display/mono.tsx';

type Found = Pick<KeptTest, 'problem' | 'message'> & Partial<Pick<KeptTest, 'finding'>>;

/** Shows the failure, its details, what to do about it and, on a click, the provider's own message. */
export function ProblemText({ problem, message, finding }: Found) {
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
          {t(`tests.finding.${finding.code}`, {
            wanted: isolateBidi(finding.wanted),
            said: isolateBidi(finding.said),
          })}
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
