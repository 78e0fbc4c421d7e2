import Box from '@mui/material/Box';
import {
  type ConfigField,
  type PaymentProviderType,
  paymentProviderTypeInfo,
} from '@switchyard/contract/billing/payment-provider-types';
import { hasDefaultRate, MICROS } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { ReactNode } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { TwoColumns } from '../../../ui/form/form-layout.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useSite } from '../../site/site/queries.ts';
import { configChoiceKey, configFieldKey } from './config-translation-keys.ts';
import {
  type PaymentProviderValues,
  type StoredSecrets,
  supportedCurrencies,
  valuesSchema,
} from './payment-provider-form-values.ts';

interface ProcessorFormProps {
  values: PaymentProviderValues;
  stored: StoredSecrets;
  onSave: (values: PaymentProviderValues) => Promise<unknown>;
  onCancel: () => void;
  /** Renders actions beside the buttons; `unchanged` means that the form has no unsaved changes. */
  renderAside?: (unchanged: boolean) => ReactNode;
}

const PERCENT = MICROS / 100;

export function PaymentProviderForm({ values, stored, onSave, onCancel, renderAside }: ProcessorFormProps) {
  const { t } = useTranslation('processors');
  const contractForm = useContractForm<PaymentProviderValues>({
    schema: valuesSchema(values.type, stored),
    values,
    onSubmit: onSave,
  });
  const { control, formState } = contractForm.form;
  const { type } = values;
  const currencies = toOptions(supportedCurrencies(type));
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} />
      <ConfigInputs type={type} control={control} stored={stored} />
      {paymentProviderTypeInfo[type].sandbox && (
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

/** Renders the exchange rate; for 0, the hint shows the rate from the settings. */
function RateInput({
  control,
}: {
  control: ReturnType<typeof useContractForm<PaymentProviderValues>>['form']['control'];
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
      hint={rate === 0 && hasDefaultRate(currency) ? t('usualRate', { rate: format.number(usual, 6) }) : undefined}
    />
  );
}

interface ConfigInputsProps {
  type: PaymentProviderType;
  control: Control<PaymentProviderValues>;
  stored: StoredSecrets;
}

const PEM_ROWS = 4;
const PARAGRAPH_ROWS = 5;

/** Renders the fields that the contract lists for the payment provider. */
function ConfigInputs({ type, control, stored }: ConfigInputsProps) {
  return paymentProviderTypeInfo[type].fields.map((field) => (
    <ConfigInput key={field.name} type={type} field={field} control={control} stored={stored[field.name] ?? ''} />
  ));
}

interface ConfigInputProps extends Omit<ConfigInputsProps, 'stored'> {
  field: ConfigField;
  /** Last characters of the stored secret; empty when none is stored. */
  stored: string;
}

function ConfigInput({ type, field, control, stored }: ConfigInputProps) {
  const { t } = useTranslation('processors');
  const { kind, name } = field;
  const known = configFieldKey(name);
  const words = {
    label: known === undefined ? name : t(`field.${known}.label`),
    help: known === undefined ? undefined : t(`field.${known}.help`),
  };
  const text = { control, name: `config.${name}` as const, ...words };
  const secret = { ...text, ...(stored === '' ? {} : { stored: `…${stored}` }) };
  switch (kind) {
    case 'text':
      return <TextInput {...text} mono />;
    case 'address':
      return <TextInput {...text} type="url" placeholder="https://" />;
    case 'secret':
      return <SecretInput {...secret} />;
    case 'secret-pem':
      return <SecretInput {...secret} rows={PEM_ROWS} />;
    case 'pem':
      return <TextInput {...text} rows={PEM_ROWS} mono />;
    case 'paragraph':
      return <TextInput {...text} rows={PARAGRAPH_ROWS} />;
    case 'choice':
      return (
        <SelectInput
          {...text}
          options={(field.options ?? []).map((value) => {
            const choice = configChoiceKey(type, value);
            return { value, label: choice === undefined ? value : t(`choice.${choice}`) };
          })}
        />
      );
    case 'flag':
      return <SwitchInput control={control} name={`flags.${name}`} {...words} />;
  }
}
