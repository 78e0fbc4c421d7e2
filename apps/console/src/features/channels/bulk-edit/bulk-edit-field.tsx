import Box from '@mui/material/Box';
import { type CreateChannel, capability } from '@switchyard/contract/channels/channels';
import type { ReactNode } from 'react';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { RemoveRow } from '../../../ui/form/form-layout.tsx';
import { CheckChipsInput } from '../../../ui/inputs/check-chips-input.tsx';
import { KeyValueInput } from '../../../ui/inputs/key-value-input.tsx';
import { MultiSelectInput } from '../../../ui/inputs/multi-select-input.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { ChoiceOf, SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { useCapabilityName } from '../../../ui/product/routing-decision-text.ts';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { BodyChangesInput, HeldPromptInput } from '../editor/body-change-and-prompt-hold-inputs.tsx';
import { BODY_CHANGES_EXAMPLE, DeadlinesSection, STREAMINGS } from '../editor/requests-and-deadlines-section.tsx';
import { type EditableField, type EditForm, useFieldName, type Way, waysOf } from './bulk-edit-fields.ts';

interface BulkEditFieldProps {
  field: EditableField;
  control: Control<CreateChannel>;
  status: EditForm['status'];
  way: Way | undefined;
  error: string | undefined;
  onStatus: (status: EditForm['status']) => void;
  onWay: (way: Way) => void;
  onRemove: () => void;
}

/** Edits the new value of one field and how it is applied. */
export function BulkEditField(props: BulkEditFieldProps) {
  const { t } = useTranslation('channels');
  const { field, way, error, onWay, onRemove } = props;
  const name = useFieldName()(field);
  const ways = waysOf(field);
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) auto', gap: 1, alignItems: 'start' }}>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
        {ways.length > 0 && (
          <ChoiceOf
            label={t('edits.howOf', { name })}
            value={way ?? ways[0] ?? ''}
            options={toOptions(ways, (value) => t(`edits.way.${value}`))}
            onChange={(chosen) => {
              const next = ways.find((value) => value === chosen);
              if (next !== undefined) onWay(next);
            }}
          />
        )}
        <FieldInput {...props} name={name} />
        {error !== undefined && (
          <Box role="alert" sx={{ color: 'error.main', fontSize: '0.75rem' }}>
            {error}
          </Box>
        )}
      </Box>
      <RemoveRow label={t('edits.leave', { name })} onClick={onRemove} />
    </Box>
  );
}

function FieldInput({ field, control, status, way, name, onStatus }: BulkEditFieldProps & { name: string }): ReactNode {
  const { t } = useTranslation(['channels', 'common']);
  const capabilityName = useCapabilityName();
  const groups = useGroupOptions();
  const shared = { control, label: name };
  const onlyNames = way === 'remove' ? t('edits.onlyNames') : undefined;
  switch (field) {
    case 'status':
      return (
        <ChoiceOf
          label={name}
          value={status}
          options={[
            { value: 'enabled', label: t('common:enable') },
            { value: 'disabled', label: t('common:disable') },
          ]}
          onChange={(value) => onStatus(value === 'enabled' ? 'enabled' : 'disabled')}
        />
      );
    case 'models':
      return <MultiSelectInput {...shared} name="models" help={t('modelsHelp')} options={[]} free />;
    case 'group':
      return <MultiSelectInput {...shared} name="group" options={groups} />;
    case 'lacks':
      return (
        <CheckChipsInput
          {...shared}
          name="lacks"
          options={toOptions(capability.options, (value) => capabilityName(value))}
        />
      );
    case 'model_mapping':
      return (
        <KeyValueInput
          {...shared}
          name="model_mapping"
          help={t('mappingHelp')}
          hint={onlyNames}
          names={[t('requestedModel'), t('vendorModel')]}
        />
      );
    case 'model_headers':
      return (
        <KeyValueInput {...shared} name="model_headers" hint={onlyNames} names={[t('headerName'), t('headerValue')]} />
      );
    case 'priority':
    case 'weight':
      return <NumberInput {...shared} name={field} />;
    case 'cost_ratio':
      return <NumberInput {...shared} name="cost.ratio" hint={t('costRatioHint')} before="×" />;
    case 'only_chat':
      return <SwitchInput {...shared} name="only_chat" hint={t('onlyChatHint')} />;
    case 'system_as_user':
      return <SwitchInput {...shared} name="request_changes.system_as_user" />;
    case 'streaming':
      return (
        <SelectInput
          {...shared}
          name="request_changes.streaming"
          options={toOptions(STREAMINGS, (value) => t(`streamingOf.${value}`))}
        />
      );
    case 'held_prompt':
      return <HeldPromptInput control={control} />;
    case 'bodies':
      return <BodyChangesInput {...shared} help={t('bodyChangesHelp')} hint={BODY_CHANGES_EXAMPLE} />;
    case 'deadlines':
      return (
        <Box>
          <DeadlinesSection control={control} changed={1} />
          <Box sx={{ color: 'text.secondary', fontSize: '0.75rem' }}>{t('edits.emptyStays')}</Box>
        </Box>
      );
    case 'base_url':
    case 'proxy':
    case 'tag':
    case 'test_model':
      return <TextInput {...shared} name={field} mono={field !== 'tag'} />;
  }
}
