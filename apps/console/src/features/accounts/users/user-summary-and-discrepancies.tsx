import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { User } from '@switchyard/contract/accounts/users';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { CopyableId } from '../../../ui/display/copyable-text.tsx';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { UsageBar } from '../../../ui/display/usage-and-uptime-bars.tsx';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import { useAcknowledgeDiscrepancies } from './queries.ts';

export function UserSummary({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const group = useGroupOptions().find(({ value }) => value === user.group);
  const text = (value: string) => (value === '' ? UNKNOWN : value);
  return (
    <DescriptionList
      facts={[
        [
          t('balance'),
          <UsageBar
            key="balance"
            used={user.used_quota}
            left={user.quota}
            label={t(user.quota < 0 ? 'debtOf' : 'balanceOf', {
              balance: format.points(Math.abs(user.quota)),
              used: format.points(user.used_quota),
            })}
          />,
        ],
        [t('requests'), format.number(user.request_count)],
        [t('group'), group === undefined ? user.group : `${isolateBidi(group.label)} ${group.detail}`],
        [t('displayName'), text(user.display_name)],
        [t('email'), text(user.email)],
        [t('lastLogin'), <LastLogin key="login" user={user} />],
        [t('created'), <Moment key="made" seconds={user.created_time} />],
        [t('id'), <CopyableId key="id" text={String(user.id)} what={t('id')} />],
      ]}
    />
  );
}

function LastLogin({ user: { last_login_time, last_login_ip } }: { user: User }) {
  const { t } = useTranslation('users');
  if (last_login_time === 0) return t('never');
  return (
    <>
      <Moment seconds={last_login_time} />
      {last_login_ip !== '' && (
        <>
          {' · '}
          <Mono>{last_login_ip}</Mono>
        </>
      )}
    </>
  );
}

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
