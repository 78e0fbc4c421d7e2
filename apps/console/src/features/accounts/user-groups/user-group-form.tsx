import { createUserGroup, routeOrder } from '@switchyard/contract/accounts/user-groups';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { TwoColumns } from '../../../ui/form/two-columns.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SelectInput, SwitchInput } from '../../../ui/inputs/choice-inputs.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';

/** Compared here as well, so that it is said before it is sent. */
const groupForm = createUserGroup.refine(({ promotion, min, max }) => !promotion || max === 0 || max > min, {
  path: ['max'],
});

export type UserGroupValues = z.output<typeof createUserGroup>;

interface UserGroupFormProps {
  values: UserGroupValues;
  /** The symbol is chosen once; later it stands in users, tokens and channels. */
  symbolFixed: boolean;
  /** @param before what the form began with */
  onSave: (values: UserGroupValues, before: UserGroupValues) => Promise<unknown>;
  onCancel: () => void;
}

export function UserGroupForm({ values, symbolFixed, onSave, onCancel }: UserGroupFormProps) {
  const { t } = useTranslation('user-groups');
  const format = useFormat();
  const [before] = useState(values);
  const contractForm = useContractForm({
    schema: groupForm,
    values: before,
    onSubmit: (typed) => onSave(typed, before),
  });
  const { control, formState } = contractForm.form;
  const ratio = useWatch({ control, name: 'ratio' });
  const rate = useWatch({ control, name: 'api_rate' });
  const promotion = useWatch({ control, name: 'promotion' });
  const isNumber = typeof ratio === 'number' && Number.isFinite(ratio);
  return (
    <Form form={contractForm}>
      {!symbolFixed && (
        <TextInput
          control={control}
          name="symbol"
          label={t('symbol')}
          hint={t('symbolHint')}
          placeholder="vip"
          autoFocus
          mono
        />
      )}
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} />
      <NumberInput
        control={control}
        name="ratio"
        label={t('ratio')}
        before="×"
        help={t('ratioHelp')}
        hint={isNumber ? t('ratioExample', { price: format.usd(1), paid: format.usd(ratio) }) : undefined}
      />
      <NumberInput
        control={control}
        name="api_rate"
        label={t('rate')}
        unit={t('rateUnit')}
        help={t('rateHelp')}
        hint={rate === 0 ? t('rateNone') : t('rateHint')}
      />
      <SelectInput
        control={control}
        name="order"
        label={t('order')}
        help={t('orderHelp')}
        options={routeOrder.options.map((value) => ({ value, label: t(`orderName.${value}`) }))}
      />
      <NumberInput
        control={control}
        name="tpm"
        label={t('tpm')}
        unit={t('rateUnit')}
        help={t('tpmHelp')}
        hint={t('tpmHint')}
      />
      <SwitchInput control={control} name="public" label={t('public')} hint={t('publicHint')} />
      <SwitchInput control={control} name="promotion" label={t('promotion')} hint={t('promotionHint')} />
      {promotion && (
        <TwoColumns>
          <NumberInput control={control} name="min" label={t('min')} before="$" />
          <NumberInput control={control} name="max" label={t('max')} before="$" hint={t('maxHint')} />
        </TwoColumns>
      )}
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}
