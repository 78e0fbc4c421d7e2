import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Quote } from '@switchyard/contract/playground/quote';
import { useTranslation } from 'react-i18next';
import { Facts } from '../../../ui/display/facts.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';

const known = ['user-requests', 'user-tokens', 'token-requests', 'token-tokens'] as const;

/** Shows what each limit would have left after this request, and when it is full again. */
export function QuoteLimits({ limits }: Pick<Quote, 'limits'>) {
  const { t } = useTranslation('quote');
  const format = useFormat();
  // What is newer than this console keeps its own name.
  const nameOf = (policy: string) => {
    const name = known.find((candidate) => candidate === policy);
    return name === undefined ? policy : t(`limit.${name}`);
  };
  return (
    <Box component="section">
      <Typography variant="subtitle2" component="h3" sx={{ mb: 1 }}>
        {t('limits')}
      </Typography>
      <Facts
        facts={limits.map(({ policy, limit, remaining, reset_in }) => [
          nameOf(policy),
          [
            t('left', { remaining: format.number(remaining), limit: format.number(limit) }),
            ...(reset_in > 0 ? [t('whole', { time: format.duration(reset_in * 1000) })] : []),
          ].join(' · '),
        ])}
      />
    </Box>
  );
}
