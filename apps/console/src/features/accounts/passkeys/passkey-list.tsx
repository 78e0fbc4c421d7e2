import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import IconButton from '@mui/material/IconButton';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import type { Passkey } from '@switchyard/contract/accounts/passkeys';
import { IconFingerprint, IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { Moment } from '../../../ui/display/formatted-values.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { browserHasPasskeys, passkeysQuery, useAddPasskey, useRemovePasskey, useRenamePasskey } from './queries.ts';

/** Asks for a name and then has the browser create the passkey. */
function NewPasskeyDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <NewPasskeyForm titleId={titleId} onClose={onClose} />
    </Dialog>
  );
}

function NewPasskeyForm({ titleId, onClose }: { titleId: string; onClose: () => void }) {
  const { t } = useTranslation(['passkeys', 'common']);
  const notifyError = useNotifyError();
  const add = useAddPasskey();
  const [name, setName] = useState('');

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    try {
      if (!(await add.mutateAsync(name.trim()))) return;
      notify('success', t('addedNotice'));
      onClose();
    } catch (error) {
      if (isAlreadyRegistered(error)) notify('warning', t('known'));
      else notifyError(error);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <DialogTitle id={titleId}>{t('add')}</DialogTitle>
      <DialogContent>
        <DialogContentText variant="body1" sx={{ mb: 2 }}>
          {t('addText')}
        </DialogContentText>
        <FieldFrame label={t('name')} hint={t('nameHint')} error={undefined}>
          {({ id, describedBy }) => (
            <OutlinedInput
              id={id}
              fullWidth
              autoFocus
              autoComplete="off"
              value={name}
              onChange={({ target }) => setName(target.value)}
              inputProps={{ 'aria-describedby': describedBy, maxLength: MOST }}
            />
          )}
        </FieldFrame>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} color="inherit">
          {t('common:cancel')}
        </Button>
        <Button type="submit" variant="contained" loading={add.isPending}>
          {t('goOn')}
        </Button>
      </DialogActions>
    </form>
  );
}

export function PasskeyList() {
  const { t } = useTranslation('passkeys');
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery);
  const [adding, setAdding] = useState(false);
  if (passkeys === undefined) return <PendingPanel error={error} refetch={refetch} height={80} />;
  const possible = browserHasPasskeys();
  return (
    <Box sx={{ display: 'grid', gap: 1.5, justifyItems: 'start' }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t(possible ? 'intro' : 'notHere')}
      </Typography>
      {passkeys.length > 0 && (
        <RowList label={t('title')}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </RowList>
      )}
      <Button variant="outlined" color="inherit" disabled={!possible} onClick={() => setAdding(true)}>
        {t('add')}
      </Button>
      <NewPasskeyDialog open={adding} onClose={() => setAdding(false)} />
    </Box>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { t } = useTranslation('passkeys');
  const notifyError = useNotifyError();
  const rename = useRenamePasskey();
  const remove = useRemovePasskey();
  const [naming, setNaming] = useState(false);
  const { id, alias: name } = passkey;
  const finish = (alias: string | undefined) => {
    setNaming(false);
    if (alias !== undefined) rename.mutate({ id, alias }, { onError: notifyError });
  };
  return (
    <ListRow
      icon={<IconFingerprint size={22} stroke={1.5} />}
      title={
        naming ? (
          <PasskeyName name={name} label={t('nameOf', { name })} onDone={finish} />
        ) : (
          <>
            {rename.isPending ? rename.variables.alias : name}
            <IconButton
              size="small"
              aria-label={t('rename', { name })}
              onClick={() => setNaming(true)}
              sx={{ ml: 0.5 }}
            >
              <IconPencil size={16} />
            </IconButton>
          </>
        )
      }
      text={<PasskeyTimes passkey={passkey} />}
      actions={
        <ConfirmButton
          size="small"
          variant="outlined"
          aria-label={t('removeOf', { name })}
          question={{ title: t('removeTitle', { name }), text: t('removeText'), verb: t('remove') }}
          onConfirm={async () => {
            await remove.mutateAsync(id);
            notify('success', t('removed', { name }));
          }}
        >
          {t('remove')}
        </ConfirmButton>
      }
    />
  );
}

function PasskeyTimes({ passkey: { created_time, last_used_time } }: { passkey: Passkey }) {
  const { t } = useTranslation('passkeys');
  return (
    <>
      {t('added')} <Moment seconds={created_time} />
      {' · '}
      {t(last_used_time === 0 ? 'neverUsed' : 'lastUsed')} {last_used_time !== 0 && <Moment seconds={last_used_time} />}
    </>
  );
}

const MOST = 64;

interface PasskeyNameProps {
  name: string;
  label: string;
  /** Callback that receives the new name, or undefined when the name is unchanged. */
  onDone: (name: string | undefined) => void;
}

/** Edits a name in its row: Enter or leaving the field saves, Escape cancels. */
function PasskeyName({ name, label, onDone }: PasskeyNameProps) {
  const [draft, setDraft] = useState(name);
  const done = useRef(false);
  // Removing the focused field fires another blur event.
  const finish = (text: string) => {
    if (done.current) return;
    done.current = true;
    onDone(text === '' || text === name ? undefined : text);
  };
  return (
    <OutlinedInput
      autoFocus
      fullWidth
      value={draft}
      onChange={({ target }) => setDraft(target.value)}
      onFocus={({ target }) => target.select()}
      onBlur={() => finish(draft.trim())}
      onKeyDown={({ key }) => {
        if (key === 'Enter') finish(draft.trim());
        if (key === 'Escape') finish(name);
      }}
      inputProps={{ 'aria-label': label, maxLength: MOST }}
      sx={{ maxWidth: 320 }}
    />
  );
}

/** Returns whether the device already has a passkey for this account. */
function isAlreadyRegistered(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidStateError';
}
