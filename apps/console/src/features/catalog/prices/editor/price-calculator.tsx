import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../../../ui/feedback/error-panel.tsx';
import { FieldFrame } from '../../../../ui/form/field-frame.tsx';
import { SelectInput } from '../../../../ui/inputs/choice-inputs.tsx';
import { NumberInput } from '../../../../ui/inputs/number-input.tsx';
import { DetailDrawer } from '../../../../ui/overlays/detail-drawer.tsx';
import { groupChoices, useGroups } from '../../../accounts/user-groups/queries.ts';
import { CalculatedCost } from '../list/calculated-cost.tsx';
import { applyingPrice } from '../list/price-cost.ts';
import { everyPriceQuery } from '../queries.ts';

interface PriceCalculatorProps {
  open: boolean;
  /** Model that is selected at first; may be empty. */
  model: string;
  onClose: () => void;
}

export function PriceCalculator({ open, model, onClose }: PriceCalculatorProps) {
  const { t } = useTranslation('prices');
  return (
    <DetailDrawer open={open} onClose={onClose} title={t('calculator')} width={420}>
      <Calculator startModel={model.replace(/\*$/, '')} />
    </DetailDrawer>
  );
}

const usualCall = { input: 1000, cachedRead: 0, output: 500, calls: 1000, group: '' };

function Calculator({ startModel }: { startModel: string }) {
  const { t } = useTranslation('prices');
  const [model, setModel] = useState(startModel);
  const { control } = useForm({ defaultValues: usualCall });
  const usage = useWatch({ control });
  const groups = useGroups() ?? {};
  const { data: prices, error, refetch } = useQuery(everyPriceQuery);
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (prices === undefined) return <Skeleton variant="rounded" height={320} />;
  const price = applyingPrice(prices, model.trim());
  const byTokens = price?.type !== 'times';
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}>
      <FieldFrame label={t('model')} error={undefined}>
        {({ id }) => (
          <Autocomplete
            id={id}
            freeSolo
            options={prices.map((entry) => entry.model.replace(/\*$/, ''))}
            inputValue={model}
            onInputChange={(_, typed) => setModel(typed)}
            // Rendering a list of thousands is slow; typing filters it.
            filterOptions={(names, { inputValue }) =>
              [...new Set(names.filter((name) => name.includes(inputValue.trim())))].slice(0, 50)
            }
            renderInput={(params) => <TextField {...params} autoFocus={startModel === ''} />}
          />
        )}
      </FieldFrame>
      {byTokens && (
        <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 2 }}>
          <NumberInput control={control} name="input" label={t('inputTokens')} />
          <NumberInput control={control} name="output" label={t('outputTokens')} />
          <NumberInput control={control} name="cachedRead" label={t('cachedTokens')} hint={t('cachedHint')} />
        </Box>
      )}
      <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 2 }}>
        <NumberInput control={control} name="calls" label={t('calls')} />
        <SelectInput
          control={control}
          name="group"
          label={t('group')}
          options={[{ value: '', label: t('noGroup') }, ...groupChoices(groups)]}
        />
      </Box>
      <CalculatedCost model={model.trim()} price={price} usage={usage} ratio={groups[usage.group ?? '']?.ratio ?? 1} />
    </Box>
  );
}
