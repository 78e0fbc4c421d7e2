import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { User } from '@switchyard/contract/accounts/users';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../../ui/display/inline-values.tsx';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useAcknowledgeDiscrepancies } from './queries.ts';

/** Shows the ledger discrepancies of a user, with a button that unlocks the account. */
export function LedgerDiscrepancies({ user, mayAcknowledge }: { user: User; mayAcknowledge: boolean }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const notifyError = useNotifyError();
  const acknowledge = useAcknowledgeDiscrepancies();
  if (user.ledger_alarms.length === 0) return null;
  const button = (
    <Button
      size="small"
      color="inherit"
      loading={acknowledge.isPending}
      onClick={() => acknowledge.mutate(user.id, { onError: notifyError })}
    >
      {t('acknowledge')}
    </Button>
  );
  return (
    <Alert
      severity="error"
      // On a phone the button is below the text.
      sx={{ flexWrap: { xs: 'wrap', sm: 'nowrap' } }}
      action={mayAcknowledge ? button : undefined}
    >
      {t('alarmText')}
      <Box component="ul" sx={{ pl: 2.5, mb: 0, mt: 0.5 }}>
        {user.ledger_alarms.map(({ problem, difference, found_at }) => (
          <li key={`${problem} ${difference}`}>
            {problem}: {t('common:exactPoints', { count: difference, points: format.number(difference) })} ·{' '}
            <Moment seconds={found_at} />
          </li>
        ))}
      </Box>
    </Alert>
  );
}
