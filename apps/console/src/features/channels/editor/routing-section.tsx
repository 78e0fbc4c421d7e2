import { type CreateChannel, capability } from '@switchyard/contract/channels/channels';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FoldedSection } from '../../../ui/form/form-section.tsx';
import { TwoColumns } from '../../../ui/form/two-columns.tsx';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { SwitchInput } from '../../../ui/inputs/choice-inputs.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { PairsInput } from '../../../ui/inputs/pairs-input.tsx';
import { ManyPickerInput } from '../../../ui/inputs/picker-input.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useCapabilityName } from '../../../ui/product/capability-name.ts';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';

interface SectionProps {
  control: Control<CreateChannel>;
  /** Folded fields that differ from their defaults. */
  changed: number;
}

/** Renders the groups that may use the channel, and its order in channel selection. */
export function RoutingSection({ control, changed }: SectionProps) {
  const { t } = useTranslation('channels');
  const capabilityName = useCapabilityName();
  return (
    <>
      <ManyPickerInput
        control={control}
        name="group"
        label={t('groups')}
        help={t('groupsHelp')}
        options={useGroupOptions()}
      />
      <FoldedSection title={t('order')} changed={changed} startOpen={changed > 0}>
        <TwoColumns>
          <NumberInput control={control} name="priority" label={t('priority')} hint={t('priorityHint')} />
          <NumberInput control={control} name="weight" label={t('weight')} hint={t('weightHint')} />
        </TwoColumns>
        <TextInput control={control} name="tag" label={t('tag')} help={t('tagHelp')} />
        <SwitchInput control={control} name="only_chat" label={t('onlyChat')} hint={t('onlyChatHint')} />
        <CheckChipsInput
          control={control}
          name="lacks"
          label={t('lacks')}
          help={t('lacksHelp')}
          options={capability.options.map((value) => ({ value, label: capabilityName(value) }))}
        />
      </FoldedSection>
    </>
  );
}

/** Renders the settings of the connection to the provider. */
export function ConnectionSection({ control, changed }: SectionProps) {
  const { t } = useTranslation('channels');
  return (
    <FoldedSection title={t('proxyAndHeaders')} changed={changed} startOpen={changed > 0}>
      <TextInput
        control={control}
        name="proxy"
        label={t('proxy')}
        placeholder="socks5://user:password@host:1080"
        hint={t('keys.proxySession')}
        mono
      />
      <PairsInput
        control={control}
        name="model_headers"
        label={t('headers')}
        help={t('headersHelp')}
        hint={t('headersHint')}
        names={[t('headerName'), t('headerValue')]}
      />
    </FoldedSection>
  );
}
