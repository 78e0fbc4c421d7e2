import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { updateProfile } from '@switchyard/contract/accounts/profile';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { StrengthMeter } from '../../../ui/display/password-strength.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form } from '../../../ui/form/form.tsx';
import { type ContractForm, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useUpdateProfile } from './queries.ts';

const passwords = updateProfile
  .pick({ password: true })
  .required()
  .extend({ current_password: z.string().min(1).max(128) });
/** Accounts that came by another way have none to give. */
const firstPassword = passwords.extend({ current_password: z.literal('') });
type Passwords = z.output<typeof passwords>;
const empty: Passwords = { current_password: '', password: '' };

/** A new password; who is signed in elsewhere has to sign in again. */
export function PasswordForm({ hasPassword }: { hasPassword: boolean }) {
  const { t } = useTranslation('profile');
  const update = useUpdateProfile();
  const contractForm: ContractForm<Passwords> = useContractForm<Passwords>({
    schema: hasPassword ? passwords : firstPassword,
    values: empty,
    onSubmit: async (values) => {
      await update.mutateAsync(values);
      contractForm.form.reset(empty);
      notify('success', t(hasPassword ? 'passwordChanged' : 'passwordSet'));
    },
  });
  const { control, formState } = contractForm.form;
  const password = useWatch({ control, name: 'password' });
  return (
    <Form form={contractForm}>
      {hasPassword && (
        <TextInput
          control={control}
          name="current_password"
          label={t('currentPassword')}
          type="password"
          autoComplete="current-password"
        />
      )}
      <Box sx={{ display: 'grid', gap: 1 }}>
        <SecretInput control={control} name="password" label={t('newPassword')} hint={t('newPasswordHint')} />
        <StrengthMeter password={password} />
      </Box>
      <Button
        type="submit"
        variant="contained"
        disabled={!formState.isDirty}
        loading={formState.isSubmitting}
        sx={{ justifySelf: 'start' }}
      >
        {t(hasPassword ? 'changePassword' : 'setPassword')}
      </Button>
    </Form>
  );
}
