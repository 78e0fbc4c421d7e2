import Typography from '@mui/material/Typography';
import type { CreateChannel, Provider } from '@switchyard/contract/channels/channels';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FoldedSection } from '../../../ui/form/form-section.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useOptionName } from '../list/provider-name.ts';

interface PathsSectionProps {
  control: Control<CreateChannel>;
  /** Those of the provider's options that are paths. */
  options: Provider['options'];
}

/** Renders the paths of the endpoints of a generic upstream. */
export function PathsSection({ control, options }: PathsSectionProps) {
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
