import Box from '@mui/material/Box';
import type { KeptTest } from '@switchyard/contract/channel-tests';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../ui/mono.tsx';

/** What is wrong, what to do about it and, behind a click, the vendor's own words; ours are in sight. */
export function ProblemText({ problem, message }: Pick<KeptTest, 'problem' | 'message'>) {
  const { t } = useTranslation('channels');
  const isOurs = problem === null || problem === 'wrong-answer';
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
      {isOurs && <span>{message}</span>}
      {!isOurs && message !== '' && (
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
