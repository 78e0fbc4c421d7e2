import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { impersonation } from '@switchyard/contract/accounts/impersonation';
import type { User } from '@switchyard/contract/accounts/users';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { actAs } from '../impersonation/queries.ts';

interface ImpersonateDialogProps {
  open: boolean;
  user: User;
  onClose: () => void;
}

const schema = impersonation.start.body.pick({ reason: true });

/** Root says why, and goes on as the user. */
export function ImpersonateDialog({ open, user, onClose }: ImpersonateDialogProps) {
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
    onSubmit: ({ reason }) => actAs(user.id, reason),
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
