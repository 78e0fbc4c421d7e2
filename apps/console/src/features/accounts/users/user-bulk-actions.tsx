import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { EditResults, User, UserEdit } from '@switchyard/contract/accounts/users';
import { ApiError } from '@switchyard/contract/http-exchange';
import { IconUsersGroup } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkDelete, ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { MenuButton } from '../../../ui/actions/menu-button.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useErrorText, useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { TextDialog } from '../../../ui/overlays/reading-dialog.tsx';
import { useHasAccess } from '../session/queries.ts';
import { useGroupOptions } from '../user-groups/queries.ts';
import { QuotaForm } from './change-balance-form.tsx';
import { useChangeQuotas, useEditUsers } from './queries.ts';

interface UserBulkActionsProps {
  users: readonly User[];
  /** Callback that clears the selection. */
  onDone: () => void;
}

/** Offers bulk actions for the selected users, then lists the users whose change was refused. */
export function UserBulkActions({ users, onDone }: UserBulkActionsProps) {
  const { t } = useTranslation('users');
  const [results, setResults] = useState<EditResults>();
  const mayWrite = useHasAccess('users.write');
  const mayBalance = useHasAccess('balances.write');
  const tell = (outcome: EditResults) => {
    const refused = outcome.filter(({ refusal }) => refusal !== null);
    const changed = outcome.length - refused.length;
    if (changed > 0) notify('success', t('editedMany', { count: changed }));
    if (refused.length > 0) setResults(refused);
    else onDone();
  };
  return (
    <>
      {mayWrite && <AccountActions users={users} tell={tell} />}
      {mayBalance && <BalanceAction users={users} tell={tell} />}
      {results !== undefined && <RefusedUsers results={results} onClose={onDone} />}
    </>
  );
}

interface ActionProps {
  users: readonly User[];
  tell: (results: EditResults) => void;
}

function AccountActions({ users, tell }: ActionProps) {
  const { t } = useTranslation(['users', 'common']);
  const notifyError = useNotifyError();
  const groups = useGroupOptions();
  const { mutateAsync } = useEditUsers();
  const count = users.length;
  const send = async (edit: UserEdit) => tell(await mutateAsync({ ids: users.map(({ id }) => id), edit }));
  const sendAtOnce = (edit: UserEdit) => void send(edit).catch(notifyError);
  return (
    <>
      <Button size="small" variant="outlined" color="inherit" onClick={() => sendAtOnce({ do: 'enable' })}>
        {t('common:enable')}
      </Button>
      <ConfirmButton
        size="small"
        variant="outlined"
        question={{ title: t('disableTitle', { count }), text: t('disableText'), verb: t('common:disable') }}
        onConfirm={() => send({ do: 'disable' })}
      >
        {t('common:disable')}
      </ConfirmButton>
      <MenuButton
        label={t('setGroup')}
        size="small"
        icon={<IconUsersGroup size={18} />}
        entries={groups.map(({ value, label }) => ({
          label,
          onSelect: () => sendAtOnce({ do: 'set-group', group: value }),
        }))}
      />
      <ConfirmButton
        size="small"
        variant="outlined"
        question={{ title: t('signOutTitle', { count }), text: t('signOutText'), verb: t('signOut') }}
        onConfirm={() => send({ do: 'sign-out' })}
      >
        {t('signOut')}
      </ConfirmButton>
      <BulkDelete
        count={count}
        title={t('deleteMany', { count })}
        text={t('deleteManyText')}
        onConfirm={() => send({ do: 'delete' })}
      />
    </>
  );
}

function BalanceAction({ users, tell }: ActionProps) {
  const { t } = useTranslation('users');
  const titleId = useId();
  const [open, setOpen] = useState(false);
  const { mutateAsync } = useChangeQuotas();
  const close = () => setOpen(false);
  return (
    <>
      <Button size="small" variant="outlined" color="inherit" onClick={() => setOpen(true)}>
        {t('changeBalance')}
      </Button>
      <Dialog open={open} onClose={close} aria-labelledby={titleId} maxWidth="xs" fullWidth>
        <DialogTitle id={titleId}>{t('quotaMany', { count: users.length })}</DialogTitle>
        {open && (
          <QuotaForm
            balance={undefined}
            renderOutcome={() => (
              <Typography variant="body2" sx={{ color: 'text.secondary' }}>
                {t('quotaManyHint')}
              </Typography>
            )}
            send={async (change) => tell(await mutateAsync({ ids: users.map(({ id }) => id), ...change }))}
            onClose={close}
          />
        )}
      </Dialog>
    </>
  );
}

interface RefusedUsersProps {
  /** Refused changes. */
  results: EditResults;
  onClose: () => void;
}

function RefusedUsers({ results, onClose }: RefusedUsersProps) {
  const { t } = useTranslation('users');
  const sentence = useErrorText();
  return (
    <TextDialog open onClose={onClose} title={t('refusedTitle', { count: results.length })} maxWidth="xs">
      <Box component="ul" sx={{ m: 0, pl: 2.5, display: 'grid', gap: 1 }}>
        {results.map(({ id, username, refusal }) => (
          <li key={id}>
            <Name id={id}>{username === '' ? `#${id}` : username}</Name>:{' '}
            {refusal !== null && sentence(new ApiError(refusal.code, refusal.message, { status: 200 }))}
          </li>
        ))}
      </Box>
    </TextDialog>
  );
}
