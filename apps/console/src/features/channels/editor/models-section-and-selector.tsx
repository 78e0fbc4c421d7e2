import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import type { CreateChannel, Provider } from '@switchyard/contract/channels/channels';
import { ApiError } from '@switchyard/contract/http-exchange';
import type { ChannelId } from '@switchyard/contract/ids';
import { IconSearch } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/actions/copy-button.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { FoldedSection } from '../../../ui/form/form-layout.tsx';
import type { ContractForm } from '../../../ui/form/use-contract-form.ts';
import { KeyValueInput } from '../../../ui/inputs/key-value-input.tsx';
import { MultiSelectInput } from '../../../ui/inputs/multi-select-input.tsx';
import { SelectInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { useNotifyProblem } from '../channel-tests/failure-explanation.tsx';
import { fetchModels } from '../queries.ts';
import { withKnownOptions } from './channel-form-values.ts';
import { MappingPreview } from './mapping-preview.tsx';

interface ModelsSectionProps {
  form: ContractForm<CreateChannel>;
  providers: readonly Provider[];
  /** Stored channel, whose secrets are used where the form has none. */
  id: ChannelId | undefined;
  changed: number;
}

/** Renders the models that the channel serves and their names at the provider. */
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
      <MultiSelectInput
        control={control}
        name="models"
        label={t('models')}
        help={t('modelsHelp')}
        placeholder={t('modelsPlaceholder')}
        options={toOptions(vendor.data ?? [])}
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
        <KeyValueInput
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
          options={[{ value: '', label: t('testModelAuto') }, ...toOptions(testable)]}
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

interface ModelSelectorProps {
  offered: readonly string[];
  chosen: readonly string[];
  onChoose: (models: string[]) => void;
  onClose: () => void;
}

/** Chooses among the models that the provider lists; custom names are kept. */
function ModelSelector({ offered, chosen, onChoose, onClose }: ModelSelectorProps) {
  const { t } = useTranslation(['channels', 'common']);
  const titleId = useId();
  const [search, setSearch] = useState('');
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set(chosen));
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const inSight = offered.filter((model) => model.toLowerCase().includes(wanted));
  const custom = customNames(offered, chosen);
  const next = selectedModels(offered, chosen, picked);
  const toggle = (model: string) => setPicked(pickInSight(picked, [model], 'invert'));
  const bulk = (how: BulkPick) => (
    <Button size="small" color="inherit" onClick={() => setPicked(pickInSight(picked, inSight, how))}>
      {t(`pick.${how}`)}
    </Button>
  );
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="sm" fullWidth>
      <DialogTitle id={titleId}>{t('selectTitle', { count: offered.length })}</DialogTitle>
      <Box sx={{ px: 3, pb: 1, display: 'grid', gap: 1 }}>
        <OutlinedInput
          autoFocus
          type="search"
          value={search}
          placeholder={t('searchModels')}
          onChange={(event) => setSearch(event.target.value)}
          inputProps={{ 'aria-label': t('searchModels') }}
          startAdornment={
            <InputAdornment position="start">
              <IconSearch size={16} />
            </InputAdornment>
          }
        />
        <Box sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap' }}>
          {bulk('all')}
          {bulk('none')}
          {bulk('invert')}
        </Box>
      </Box>
      <DialogContent dividers sx={{ height: '48vh', px: 2, py: 1 }}>
        {inSight.length === 0 ? (
          <Typography sx={{ p: 3, textAlign: 'center', color: 'text.secondary' }}>{t('noModels')}</Typography>
        ) : (
          inSight.map((model) => (
            <Box
              component="label"
              key={model}
              sx={{
                display: 'flex',
                alignItems: 'center',
                minHeight: { xs: 40, md: 32 },
                borderRadius: 1,
                cursor: 'pointer',
                // Providers list hundreds of models; the browser skips the layout of hidden ones.
                contentVisibility: 'auto',
                containIntrinsicSize: 'auto 32px',
                '&:hover': { bgcolor: 'neutral.soft' },
              }}
            >
              <Checkbox checked={picked.has(model)} onChange={() => toggle(model)} />
              <Mono>{model}</Mono>
            </Box>
          ))
        )}
      </DialogContent>
      <DialogActions>
        <Typography variant="body2" sx={{ flexGrow: 1, pl: 2, color: 'text.secondary' }} title={custom.join(', ')}>
          {custom.length > 0 && t('customKept', { count: custom.length })}
        </Typography>
        <Button onClick={onClose} color="inherit">
          {t('common:cancel')}
        </Button>
        <Button variant="contained" onClick={() => onChoose(next)}>
          {t('useModels', { count: next.length })}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Returns the chosen names that the provider does not offer, such as patterns; a selection keeps them. */
function customNames(offered: readonly string[], chosen: readonly string[]): string[] {
  const known = new Set(offered);
  return chosen.filter((model) => !known.has(model));
}

/** Returns the channel's models after a selection: custom names first, then the provider's in its order. */
export function selectedModels(
  offered: readonly string[],
  chosen: readonly string[],
  picked: ReadonlySet<string>,
): string[] {
  return [...customNames(offered, chosen), ...offered.filter((model) => picked.has(model))];
}

type BulkPick = 'all' | 'none' | 'invert';

/** Applies a bulk pick to the models that match the search; the others are unchanged. */
export function pickInSight(picked: ReadonlySet<string>, inSight: readonly string[], how: BulkPick): Set<string> {
  const next = new Set(picked);
  for (const model of inSight) {
    const pick = how === 'all' || (how === 'invert' && !picked.has(model));
    if (pick) next.add(model);
    else next.delete(model);
  }
  return next;
}
