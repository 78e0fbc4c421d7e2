import Button from '@mui/material/Button';
import { type Self, updateProfile } from '@switchyard/contract/accounts/profile';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form } from '../../../ui/form/form.tsx';
import { UnsavedGuard } from '../../../ui/form/unsaved-guard.tsx';
import { type ContractForm, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useUpdateProfile } from './queries.ts';

const names = updateProfile.pick({ username: true, display_name: true }).required();
type Names = Pick<Self, 'username' | 'display_name'>;

export function NamesForm({ self: { username, display_name } }: { self: Self }) {
  const { t } = useTranslation(['profile', 'common']);
  const update = useUpdateProfile();
  const contractForm: ContractForm<Names> = useContractForm<Names>({
    schema: names,
    values: { username, display_name },
    onSubmit: async (values) => {
      const saved = await update.mutateAsync(values);
      contractForm.form.reset({ username: saved.username, display_name: saved.display_name });
      notify('success', t('common:saved'));
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput
        control={control}
        name="display_name"
        label={t('displayName')}
        hint={t('displayNameHint')}
        autoComplete="name"
      />
      <TextInput
        control={control}
        name="username"
        label={t('username')}
        hint={t('usernameHint')}
        autoComplete="username"
      />
      <Button
        type="submit"
        variant="contained"
        disabled={!formState.isDirty}
        loading={formState.isSubmitting}
        sx={{ justifySelf: 'start' }}
      >
        {t('common:save')}
      </Button>
      <UnsavedGuard dirty={formState.isDirty && !formState.isSubmitting} />
    </Form>
  );
}
