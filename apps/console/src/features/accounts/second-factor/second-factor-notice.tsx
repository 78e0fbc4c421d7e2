import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { useStoredPreference } from '../../../ui/browser/stored-preference.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { lacksSecondFactor, secondFactorQuery } from './queries.ts';

const DAY = 86_400;
const EVERY_MS = 10 * 60_000;

/** Warns users whose role requires a second factor. Before the deadline the warning can be dismissed. */
export function SecondFactorNotice() {
  const { t } = useTranslation('second-factor');
  const { data: state, dataUpdatedAt } = useQuery({ ...secondFactorQuery, refetchInterval: EVERY_MS });
  const [readOf, setReadOf] = useStoredPreference('second-factor-notice', 0, isNumber);
  if (state === undefined || !lacksSecondFactor(state)) return null;
  const { needed_from: from } = state;
  const days = Math.ceil((from - dataUpdatedAt / 1000) / DAY);
  const ahead = days > 0;
  if (ahead && readOf === from) return null;
  return (
    <Alert severity="warning" sx={{ mb: 2, '& .MuiAlert-message': { flexGrow: 1, py: 0.5 } }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Box sx={{ flex: '1 1 240px' }}>{ahead ? t('neededSoon', { count: days }) : t('neededNow')}</Box>
        <LinkButton to={paths.profile} hash="second-factor" variant="outlined" color="inherit" size="small">
          {t('addOne')}
        </LinkButton>
        {ahead && (
          <Button color="inherit" size="small" onClick={() => setReadOf(from)}>
            {t('later')}
          </Button>
        )}
      </Box>
    </Alert>
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
