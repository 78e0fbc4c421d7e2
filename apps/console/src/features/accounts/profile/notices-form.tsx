import Button from '@mui/material/Button';
import { type Self, updateProfile } from '@switchyard/contract/accounts/profile';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { languageNames, languages } from '../../../i18n/languages.ts';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form } from '../../../ui/form/form.tsx';
import { UnsavedGuard } from '../../../ui/form/unsaved-guard.tsx';
import { type ContractForm, useContractForm } from '../../../ui/form/use-contract-form.ts';
import { SelectInput, SwitchInput } from '../../../ui/inputs/choice-inputs.tsx';
import { PointsInput } from '../../../ui/inputs/number-input.tsx';
import { useUpdateProfile } from './queries.ts';

const preferences = updateProfile.pick({ notices: true, language: true }).required();
type Preferences = z.output<typeof preferences>;

/** Edits which optional mails the user receives, besides those about changes of the account, and their language. */
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
    ...languages.map((value) => ({ value, label: languageNames[value] })),
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
