import Box from '@mui/material/Box';
import { processorTypeFacts } from '@switchyard/contract/billing/payment-provider-types';
import { hasUsualRate, MICROS } from '@switchyard/contract/billing/top-up-cost';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form } from '../../../ui/form/form.tsx';
import { FormButtons } from '../../../ui/form/form-buttons.tsx';
import { TwoColumns } from '../../../ui/form/two-columns.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { SelectInput, SwitchInput } from '../../../ui/inputs/choice-inputs.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useSite } from '../../site/site/queries.ts';
import { ConfigInputs } from './config-inputs.tsx';
import { currenciesOf, type ProcessorValues, type StoredSecrets, valuesSchema } from './processor-values.ts';

interface ProcessorFormProps {
  values: ProcessorValues;
  stored: StoredSecrets;
  onSave: (values: ProcessorValues) => Promise<unknown>;
  onCancel: () => void;
  /** Renders content beside the buttons, for actions that require an unchanged form. */
  renderAside?: (unchanged: boolean) => ReactNode;
}

const PERCENT = MICROS / 100;

export function ProcessorForm({ values, stored, onSave, onCancel, renderAside }: ProcessorFormProps) {
  const { t } = useTranslation('processors');
  const contractForm = useContractForm<ProcessorValues>({
    schema: valuesSchema(values.type, stored),
    values,
    onSubmit: onSave,
  });
  const { control, formState } = contractForm.form;
  const { type } = values;
  const currencies = currenciesOf(type).map((value) => ({ value, label: value }));
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} />
      <ConfigInputs type={type} control={control} stored={stored} />
      {processorTypeFacts[type].sandbox && (
        <SwitchInput control={control} name="sandbox" label={t('sandbox')} hint={t('sandboxHint')} />
      )}
      <TwoColumns>
        <NumberInput
          control={control}
          name="fixed_fee"
          label={t('fixedFee')}
          help={t('fixedFeeHelp')}
          before="$"
          scale={MICROS}
        />
        <NumberInput
          control={control}
          name="percent_fee"
          label={t('percentFee')}
          help={t('percentFeeHelp')}
          unit="%"
          scale={PERCENT}
        />
        <SelectInput control={control} name="currency" label={t('currency')} options={currencies} />
        <RateInput control={control} />
      </TwoColumns>
      <TextInput
        control={control}
        name="notify_domain"
        label={t('notifyDomain')}
        help={t('notifyDomainHelp')}
        type="url"
        placeholder="https://"
      />
      <TextInput
        control={control}
        name="icon"
        label={t('icon')}
        help={t('iconHelp')}
        type="url"
        placeholder="https://"
      />
      <TwoColumns>
        <NumberInput control={control} name="sort" label={t('sort')} help={t('sortHelp')} />
        <Box sx={{ alignSelf: 'end' }}>
          <SwitchInput control={control} name="enable" label={t('enable')} />
        </Box>
      </TwoColumns>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, justifyContent: 'space-between' }}>
        <Box sx={{ minWidth: 0, flexGrow: 1 }}>{renderAside?.(!formState.isDirty)}</Box>
        <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
      </Box>
    </Form>
  );
}

/** 0 is what the settings say; what that is stands below. */
function RateInput({
  control,
}: {
  control: ReturnType<typeof useContractForm<ProcessorValues>>['form']['control'];
}) {
  const { t } = useTranslation('processors');
  const format = useFormat();
  const currency = useWatch({ control, name: 'currency' });
  const rate = useWatch({ control, name: 'exchange_rate' });
  const ofSettings = useSite()?.PaymentUSDRate;
  const usual = currency === 'USD' ? 1 : ofSettings;
  return (
    <NumberInput
      control={control}
      name="exchange_rate"
      label={t('exchangeRate')}
      help={t('exchangeRateHelp')}
      unit={currency}
      scale={MICROS}
      hint={
        rate === 0 && hasUsualRate(currency) ? t('usualRate', { rate: format.number(usual, 6) }) : undefined
      }
    />
  );
}
