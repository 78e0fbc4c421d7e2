import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { impersonation } from '@switchyard/contract/accounts/impersonation';
import type { User } from '@switchyard/contract/accounts/users';
import type { Role, UserStatus } from '@switchyard/contract/wire-enums';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { paths, userPath } from '../../../paths.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { MoreMenu, type MoreMenuEntry } from '../../../ui/actions/more-menu.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useUndoable } from '../../../ui/feedback/use-undoable.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { LazyOverlay } from '../../../ui/layout/lazy-overlay.tsx';
import { startImpersonation } from '../impersonation/queries.ts';
import { useCurrentUser, useHasAccess } from '../session/queries.ts';
import { QuotaDialog } from './change-balance-dialog.tsx';
import { useRemoveUser, useResetFactors, useSetUserStatus, useUpdateUser } from './queries.ts';
import { assignableRoles, userRights } from './user-roles-and-edit-rights.ts';

interface UserMenuProps {
  user: User;
  onEdit: (user: User) => void;
  /** Callback after the user was deleted, for closing the user's view. */
  onRemoved?: () => void;
}

export function UserMenu({ user, onEdit, onRemoved }: UserMenuProps) {
  const { t } = useTranslation(['users', 'common', 'shell']);
  const [asked, setAsked] = useState<'quota' | 'delete' | 'factors' | 'act-as'>();
  const navigate = useNavigate();
  const self = useCurrentUser();
  const { change, manage } = userRights(self, user);
  const mayReset = useHasAccess('users.write') && change;
  const mayActAs = useHasAccess('root') && manage && user.status === 'enabled';
  const { setStatus, setRole, remove, resetFactors } = useUserActions();
  const enabled = user.status === 'enabled';
  const managing: MoreMenuEntry[] = [
    {
      label: t(enabled ? 'common:disable' : 'common:enable'),
      onSelect: () => void setStatus(user, enabled ? 'disabled' : 'enabled'),
    },
    ...assignableRoles(self)
      .filter((role) => role !== user.role)
      .map((role, index) => ({
        label: t('makeRole', { role: t(`shell:role.${role}`) }),
        onSelect: () => void setRole(user, role),
        apart: index === 0,
      })),
    {
      label: t('common:delete'),
      danger: true,
      apart: true,
      question: { title: t('deleteTitle', { name: user.username }), text: t('deleteText'), typed: user.username },
      onConfirm: async () => {
        await remove(user);
        onRemoved?.();
      },
    },
  ];
  return (
    <>
      <MoreMenu
        entries={[
          ...(change
            ? [
                { label: t('common:edit'), onSelect: () => onEdit(user) },
                { label: t('changeBalance'), onSelect: () => setAsked('quota') },
              ]
            : []),
          { label: t('showPage'), onSelect: () => void navigate({ to: userPath(user.id) }) },
          {
            label: t('showLog'),
            onSelect: () => void navigate({ to: paths.usageRecords, search: { user_id: String(user.id) } }),
          },
          ...(mayReset
            ? [
                {
                  label: t('resetFactors'),
                  question: {
                    title: t('resetFactorsTitle', { name: user.username }),
                    text: t('resetFactorsText'),
                    verb: t('resetFactorsVerb'),
                  },
                  onConfirm: () => resetFactors(user),
                },
              ]
            : []),
          ...(mayActAs ? [{ label: t('actAs', { name: user.username }), onSelect: () => setAsked('act-as') }] : []),
          ...(manage ? managing : []),
        ]}
      />
      <LazyOverlay open={asked !== undefined}>
        <ImpersonateDialog open={asked === 'act-as'} user={user} onClose={() => setAsked(undefined)} />
        <QuotaDialog open={asked === 'quota'} user={user} onClose={() => setAsked(undefined)} />
      </LazyOverlay>
    </>
  );
}

interface ImpersonateDialogProps {
  open: boolean;
  user: User;
  onClose: () => void;
}

const schema = impersonation.start.body.pick({ reason: true });

/** Asks root for a reason and starts the impersonation. */
function ImpersonateDialog({ open, user, onClose }: ImpersonateDialogProps) {
  const { t } = useTranslation('users');
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId}>{t('actAsTitle', { name: user.username })}</DialogTitle>
      {open && <ReasonForm user={user} onClose={onClose} />}
    </Dialog>
  );
}

function ReasonForm({ user, onClose }: Omit<ImpersonateDialogProps, 'open'>) {
  const { t } = useTranslation('users');
  const contractForm = useContractForm({
    schema,
    values: { reason: '' },
    onSubmit: ({ reason }) => startImpersonation(user.id, reason),
  });
  const { control, formState } = contractForm.form;
  return (
    <DialogContent sx={{ pb: 2 }}>
      <Form form={contractForm}>
        <DialogContentText variant="body1">{t('actAsText', { name: user.username })}</DialogContentText>
        <TextInput
          control={control}
          name="reason"
          label={t('actAsReason')}
          hint={t('actAsReasonHint')}
          rows={2}
          autoFocus
        />
        <FormButtons verb={t('actAsVerb')} saving={formState.isSubmitting} onCancel={onClose} />
      </Form>
    </DialogContent>
  );
}

/** Returns actions for users that report their result; status and role changes can be undone. */
function useUserActions() {
  const { t } = useTranslation(['users', 'shell']);
  const undoable = useUndoable();
  const { mutateAsync: sendStatus } = useSetUserStatus();
  const { mutateAsync: sendUpdate } = useUpdateUser();
  const { mutateAsync: sendRemoval } = useRemoveUser();
  const { mutateAsync: sendReset } = useResetFactors();

  const setStatus = ({ id, username, status: before }: User, status: UserStatus) =>
    undoable({
      send: sendStatus,
      to: { id, status },
      back: () => ({ id, status: before }),
      done: t(status === 'enabled' ? 'enabledName' : 'disabledName', { name: username }),
    });
  const setRole = ({ id, username, role: before }: User, role: Role) =>
    undoable({
      send: sendUpdate,
      to: { id, role },
      back: () => ({ id, role: before }),
      done: t('roleGiven', { name: username, role: t(`shell:role.${role}`) }),
    });
  const remove = async ({ id, username }: User) => {
    await sendRemoval(id);
    notify('success', t('deletedName', { name: username }));
  };
  const resetFactors = async ({ id, username }: User) => {
    await sendReset(id);
    notify('success', t('factorsReset', { name: username }));
  };
  return { setStatus, setRole, remove, resetFactors };
}

/** Removes the second factors of a user who lost access to them. */
export function ResetFactorsButton({ user }: { user: User }) {
  const { t } = useTranslation('users');
  const { resetFactors } = useUserActions();
  return (
    <ConfirmButton
      size="small"
      variant="outlined"
      question={{
        title: t('resetFactorsTitle', { name: user.username }),
        text: t('resetFactorsText'),
        verb: t('resetFactorsVerb'),
      }}
      onConfirm={() => resetFactors(user)}
    >
      {t('resetFactors')}
    </ConfirmButton>
  );
}
