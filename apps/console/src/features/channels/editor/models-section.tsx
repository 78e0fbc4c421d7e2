import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { ApiError } from '@switchyard/contract/billing/exchange';
import type { CreateChannel, Provider } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { FoldedSection } from '../../../ui/form/form-section.tsx';
import type { ContractForm } from '../../../ui/form/use-contract-form.ts';
import { SelectInput } from '../../../ui/inputs/choice-inputs.tsx';
import { PairsInput } from '../../../ui/inputs/pairs-input.tsx';
import { ManyPickerInput } from '../../../ui/inputs/picker-input.tsx';
import { MappingPreview } from '../list/mapping-preview.tsx';
import { fetchModels } from '../queries.ts';
import { useNotifyProblem } from '../tests/use-notify-problem.ts';
import { withKnownOptions } from './channel-values.ts';
import { ModelSelector } from './model-selector.tsx';

interface ModelsSectionProps {
  form: ContractForm<CreateChannel>;
  providers: readonly Provider[];
  /** A stored channel: its secrets serve where the form has none. */
  id: ChannelId | undefined;
  changed: number;
}

/** Renders the models that the channel serves, and the names that the provider knows them by. */
export function ModelsSection({ form: contractForm, providers, id, changed }: ModelsSectionProps) {
  const { t } = useTranslation('channels');
  const copy = useCopy();
  const notifyProblem = useNotifyProblem();
  const { control, getValues, setValue } = contractForm.form;
  const models = useWatch({ control, name: 'models' });
  const type = useWatch({ control, name: 'type' });
  const provider = providers.find((candidate) => candidate.type === type);
  const [selecting, setSelecting] = useState(false);
  const vendor = useMutation({
    mutationFn: () => {
      const { base_url, options, model_headers, proxy, key } = withKnownOptions(getValues(), provider);
      const stored = id === undefined ? {} : { id };
      return fetchModels({ type, base_url, options, model_headers, proxy, key, ...stored });
    },
    onSuccess: () => setSelecting(true),
    onError: (error) => {
      const isOfField = error instanceof ApiError && error.fields.length > 0;
      if (isOfField) contractForm.showRefusal(error);
      else notifyProblem(error);
    },
  });
  const setModels = (next: string[]) =>
    setValue('models', next, { shouldDirty: true, shouldValidate: true, shouldTouch: true });
  const testable = models.filter((model) => !model.endsWith('*'));
  return (
    <>
      <ManyPickerInput
        control={control}
        name="models"
        label={t('models')}
        help={t('modelsHelp')}
        placeholder={t('modelsPlaceholder')}
        options={(vendor.data ?? []).map((model) => ({ value: model, label: model }))}
        free
      />
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', '&:empty': { display: 'none' } }}>
        {provider?.can_list_models === true && (
          <Button
            size="small"
            variant="outlined"
            color="inherit"
            loading={vendor.isPending}
            onClick={() => vendor.mutate()}
          >
            {t('fetchModels')}
          </Button>
        )}
        {models.length > 0 && (
          <>
            <Button size="small" color="inherit" onClick={() => void copy(models.join(','), t('modelNames'))}>
              {t('copyAll')}
            </Button>
            <Button size="small" color="inherit" onClick={() => setModels([])}>
              {t('removeAll')}
            </Button>
          </>
        )}
      </Box>
      <FoldedSection title={t('mappingAndTest')} changed={changed} startOpen={changed > 0}>
        <PairsInput
          control={control}
          name="model_mapping"
          label={t('mapping')}
          help={t('mappingHelp')}
          names={[t('requestedModel'), t('vendorModel')]}
        />
        <MappingPreview control={control} />
        <SelectInput
          control={control}
          name="test_model"
          label={t('testModel')}
          help={t('testModelHelp')}
          options={[
            { value: '', label: t('testModelAuto') },
            ...testable.map((model) => ({ value: model, label: model })),
          ]}
        />
      </FoldedSection>
      {selecting && vendor.data !== undefined && (
        <ModelSelector
          offered={vendor.data}
          chosen={models}
          onClose={() => setSelecting(false)}
          onChoose={(next) => {
            setSelecting(false);
            setModels(next);
          }}
        />
      )}
    </>
  );
}
