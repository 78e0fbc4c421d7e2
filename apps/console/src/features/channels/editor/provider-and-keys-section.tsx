import Typography from '@mui/material/Typography';
import type { CreateChannel, Provider } from '@switchyard/contract/channels/channels';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FoldedSection } from '../../../ui/form/form-layout.tsx';
import { ProviderPicker } from '../../../ui/inputs/provider-picker.tsx';
import { SecretInput } from '../../../ui/inputs/secret-input.tsx';
import { SelectInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useChoiceName, useOptionName, useProviderName } from '../list/provider-and-option-names.ts';
import { countKeys } from './channel-form-values.ts';

interface BasicsSectionProps {
  control: Control<CreateChannel>;
  providers: readonly Provider[];
  /** Last characters of the stored key; undefined for a new channel, which may take several keys. */
  keyHint: string | undefined;
  keyCount?: number | undefined;
}

const KEY_ROWS = 3;

/** Renders provider, credentials and address; the provider's description determines the fields. */
export function BasicsSection({ control, providers, keyHint, keyCount = 1 }: BasicsSectionProps) {
  const { t } = useTranslation('channels');
  const nameOf = useProviderName();
  const type = useWatch({ control, name: 'type' });
  const provider = providers.find((candidate) => candidate.type === type);
  const parts = useKeyParts(provider);
  return (
    <>
      <ProviderPicker control={control} name="type" label={t('type')} providers={providers} nameOf={nameOf} />
      <TextInput control={control} name="name" label={t('name')} />
      {keyHint === undefined ? (
        <NewKeys control={control} parts={parts} />
      ) : (
        <SecretInput
          control={control}
          name="key"
          label={t('key')}
          hint={keyCount > 1 ? t('keys.replaceAll', { count: keyCount }) : parts}
          stored={`…${keyHint}`}
        />
      )}
      <TextInput
        control={control}
        name="base_url"
        label={t('baseUrl')}
        help={t('baseUrlHelp')}
        type="url"
        placeholder={provider?.base_url || 'https://…'}
        hint={provider !== undefined && provider.base_url === '' ? t('baseUrlNeeded') : undefined}
        mono
      />
      {provider?.options
        .filter(({ is_path }) => !is_path)
        .map((option) => (
          <OptionInput key={option.name} control={control} option={option} />
        ))}
      <PathsSection control={control} options={provider?.options.filter(({ is_path }) => is_path) ?? []} />
    </>
  );
}

function OptionInput({
  control,
  option,
}: Pick<BasicsSectionProps, 'control'> & { option: Provider['options'][number] }) {
  const { t } = useTranslation('channels');
  const optionName = useOptionName();
  const choiceName = useChoiceName();
  const name = `options.${option.name}` as const;
  const label = option.required ? optionName(option.name) : t('optional', { name: optionName(option.name) });
  if (option.choices.length === 0)
    return (
      <TextInput control={control} name={name} label={label} placeholder={option.default || option.placeholder} mono />
    );
  const options = toOptions(option.choices, (value) => choiceName(option.name, value));
  return (
    <SelectInput
      control={control}
      name={name}
      label={optionName(option.name)}
      options={options}
      whenEmpty={option.choices[0]}
    />
  );
}

/** Returns the notation of a key that consists of several credentials; undefined for other keys. */
function useKeyParts(provider: Provider | undefined): string | undefined {
  const { t } = useTranslation('channels');
  const nameOf = useOptionName();
  const names = provider?.credentials.map(({ name, required }) => (required ? nameOf(name) : `[${nameOf(name)}]`));
  return names === undefined || names.length < 2 ? undefined : t('keyParts', { parts: names.join('|') });
}

function NewKeys({ control, parts }: Pick<BasicsSectionProps, 'control'> & { parts: string | undefined }) {
  const { t } = useTranslation('channels');
  const count = countKeys(useWatch({ control, name: 'key' }));
  const together = useWatch({ control, name: 'keys_as' }) === 'one-channel';
  const several = together ? t('keys.makeOne', { count }) : t('severalKeys', { count });
  const howMany = count > 1 ? several : t('keys.oneOnEachLine');
  return (
    <>
      <SecretInput
        control={control}
        name="key"
        label={t('key')}
        rows={KEY_ROWS}
        hint={parts === undefined ? howMany : `${parts} ${howMany}`}
      />
      {count > 1 && (
        <SelectInput
          control={control}
          name="keys_as"
          label={t('keys.as')}
          help={t('keys.asHelp')}
          options={(['channels', 'one-channel'] as const).map((value) => ({ value, label: t(`keys.kind.${value}`) }))}
        />
      )}
    </>
  );
}

interface PathsSectionProps {
  control: Control<CreateChannel>;
  /** Options of the provider that are paths. */
  options: Provider['options'];
}

function PathsSection({ control, options }: PathsSectionProps) {
  const { t } = useTranslation('channels');
  const nameOf = useOptionName();
  const written = useWatch({ control, name: 'options' });
  const changed = options.filter(({ name }) => (written[name] ?? '') !== '').length;
  if (options.length === 0) return null;
  return (
    <FoldedSection title={t('paths')} changed={changed} startOpen={changed > 0}>
      <Typography variant="body2" color="text.secondary">
        {t('pathsHelp')}
      </Typography>
      {options.map(({ name, placeholder }) => (
        <TextInput
          key={name}
          control={control}
          name={`options.${name}`}
          label={nameOf(name)}
          placeholder={placeholder}
          mono
        />
      ))}
    </FoldedSection>
  );
}
