import {
  type ConfigField,
  type ProcessorType,
  processorTypeFacts,
} from '@switchyard/contract/billing/payment-provider-types';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SelectInput, SwitchInput } from '../../../ui/inputs/choice-inputs.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { choiceNameOf, fieldNameOf } from './config-words.ts';
import type { ProcessorValues, StoredSecrets } from './processor-values.ts';

interface ConfigInputsProps {
  type: ProcessorType;
  control: Control<ProcessorValues>;
  stored: StoredSecrets;
}

const PEM_ROWS = 4;
const PARAGRAPH_ROWS = 5;

/** Renders the fields that the payment provider requires, as the contract lists them. */
export function ConfigInputs({ type, control, stored }: ConfigInputsProps) {
  return processorTypeFacts[type].fields.map((field) => (
    <ConfigInput
      key={field.name}
      type={type}
      field={field}
      control={control}
      stored={stored[field.name] ?? ''}
    />
  ));
}

interface ConfigInputProps extends Omit<ConfigInputsProps, 'stored'> {
  field: ConfigField;
  /** Last characters of the stored secret; empty: none. */
  stored: string;
}

function ConfigInput({ type, field, control, stored }: ConfigInputProps) {
  const { t } = useTranslation('processors');
  const { kind, name } = field;
  const known = fieldNameOf(name);
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
            const choice = choiceNameOf(type, value);
            return { value, label: choice === undefined ? value : t(`choice.${choice}`) };
          })}
        />
      );
    case 'flag':
      return <SwitchInput control={control} name={`flags.${name}`} {...words} />;
  }
}
