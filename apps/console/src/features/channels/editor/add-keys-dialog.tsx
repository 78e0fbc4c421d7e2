import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import type { Channel } from '@switchyard/contract/channels/channels';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/notices.ts';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { useAddKeys } from '../queries.ts';

interface AddKeysDialogProps {
  channel: Channel;
  open: boolean;
  onClose: () => void;
}

export function AddKeysDialog({ channel, open, onClose }: AddKeysDialogProps) {
  const { t } = useTranslation('channels');
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      {open && (
        <>
          <DialogTitle id={titleId}>{t('keys.add')}</DialogTitle>
          <AddKeysForm channel={channel} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

const KEY_ROWS = 4;

function AddKeysForm({ channel: { id }, onClose }: Omit<AddKeysDialogProps, 'open'>) {
  const { t } = useTranslation('channels');
  const add = useAddKeys();
  const contractForm = useContractForm({
    schema: channelKeys.add.body,
    values: { key: '' },
    onSubmit: async ({ key }) => {
      const { length } = await add.mutateAsync({ id, key });
      notify('success', t('keys.added', { count: length }));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <DialogContent sx={{ pb: 2 }}>
      <Form form={contractForm}>
        <SecretInput control={control} name="key" label={t('key')} hint={t('keys.addHint')} rows={KEY_ROWS} />
        <FormButtons verb={t('keys.add')} saving={formState.isSubmitting} onCancel={onClose} />
      </Form>
    </DialogContent>
  );
}
