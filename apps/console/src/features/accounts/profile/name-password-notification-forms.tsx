import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type Self, updateProfile } from '@switchyard/contract/accounts/profile';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { languageNames, languages } from '../../../i18n/languages.ts';
import { StrengthMeter } from '../../../ui/display/password-strength.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, UnsavedGuard } from '../../../ui/form/form.tsx';
import { type ContractForm, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { PointsInput } from '../../../ui/inputs/number-input.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
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
      <SubmitButton label={t('common:save')} isDirty={formState.isDirty} isSubmitting={formState.isSubmitting} />
      <UnsavedGuard dirty={formState.isDirty && !formState.isSubmitting} />
    </Form>
  );
}

const preferences = updateProfile.pick({ notices: true, language: true }).required();
type Preferences = z.output<typeof preferences>;

/** Edits the optional mails and their language. Mails about account changes are always sent. */
export function NoticesForm({ self: { notices, language } }: { self: Self }) {
  const { t } = useTranslation(['profile', 'common']);
  const update = useUpdateProfile();
  const contractForm: ContractForm<Preferences> = useContractForm<Preferences>({
    schema: preferences,
    values: { notices, language },
    onSubmit: async (values) => {
      const saved = await update.mutateAsync(values);
      contractForm.form.reset({ notices: saved.notices, language: saved.language });
      notify('success', t('common:saved'));
    },
  });
  const { control, formState } = contractForm.form;
  const lowBalance = useWatch({ control, name: 'notices.low_balance' });
  const choices = [
    { value: '', label: t('notices.siteLanguage') },
    ...toOptions(languages, (value) => languageNames[value]),
  ];
  return (
    <Form form={contractForm}>
      <SwitchInput control={control} name="notices.new_sign_in" label={t('notices.newSignIn')} />
      <SwitchInput control={control} name="notices.low_balance" label={t('notices.lowBalance')} />
      {lowBalance && (
        <PointsInput
          control={control}
          name="notices.low_balance_below"
          label={t('notices.below')}
          hint={t('notices.belowHint')}
        />
      )}
      <SwitchInput control={control} name="notices.key_spent" label={t('notices.keySpent')} />
      <SwitchInput control={control} name="notices.order_paid" label={t('notices.orderPaid')} />
      <SwitchInput control={control} name="notices.order_failed" label={t('notices.orderFailed')} />
      <SwitchInput control={control} name="notices.order_refunded" label={t('notices.orderRefunded')} />
      <SelectInput control={control} name="language" label={t('notices.language')} options={choices} />
      <SubmitButton label={t('common:save')} isDirty={formState.isDirty} isSubmitting={formState.isSubmitting} />
      <UnsavedGuard dirty={formState.isDirty && !formState.isSubmitting} />
    </Form>
  );
}

const passwords = updateProfile
  .pick({ password: true })
  .required()
  .extend({ current_password: z.string().min(1).max(128) });
/** Accounts that were created through an identity provider have no current password. */
const firstPassword = passwords.extend({ current_password: z.literal('') });
type Passwords = z.output<typeof passwords>;
const empty: Passwords = { current_password: '', password: '' };

/** Sets a new password, which ends the account's other sessions. */
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
      <SubmitButton
        label={t(hasPassword ? 'changePassword' : 'setPassword')}
        isDirty={formState.isDirty}
        isSubmitting={formState.isSubmitting}
      />
    </Form>
  );
}

interface SubmitButtonProps {
  label: string;
  isDirty: boolean;
  isSubmitting: boolean;
}

function SubmitButton({ label, isDirty, isSubmitting }: SubmitButtonProps) {
  return (
    <Button type="submit" variant="contained" disabled={!isDirty} loading={isSubmitting} sx={{ justifySelf: 'start' }}>
      {label}
    </Button>
  );
}
