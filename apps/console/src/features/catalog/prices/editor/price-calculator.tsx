import Alert from '@mui/material/Alert';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { Price } from '@switchyard/contract/catalog/prices';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { DescriptionList } from '../../../../ui/display/description-list.tsx';
import { Mono } from '../../../../ui/display/monospace-text.tsx';
import { ErrorPanel } from '../../../../ui/feedback/error-panel-and-link-alert.tsx';
import { FieldFrame } from '../../../../ui/form/field-frame.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { NumberInput } from '../../../../ui/inputs/number-input.tsx';
import { SelectInput } from '../../../../ui/inputs/select-and-switch-inputs.tsx';
import { DetailDrawer } from '../../../../ui/overlays/detail-drawer.tsx';
import { groupChoices, useGroups } from '../../../accounts/user-groups/queries.ts';
import { everyPriceQuery } from '../queries.ts';
import { applyingPrice, callCost } from './call-cost.ts';
import { formValues, ratesFor } from './price-form-values.ts';

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

interface CalculatedCostProps {
  model: string;
  price: Price | undefined;
  /** Amounts; null for an empty field, which counts as 0. */
  usage: Partial<Record<'input' | 'cachedRead' | 'output' | 'calls', number | null>>;
  ratio: number;
}

function CalculatedCost({ model, price, usage, ratio }: CalculatedCostProps) {
  const { t } = useTranslation('prices');
  const format = useFormat();
  if (model === '') return null;
  if (price === undefined) return <Alert severity="warning">{t('noPriceFor', { model })}</Alert>;
  const cached = Math.min(amount(usage.cachedRead), amount(usage.input));
  const tokens = { input: amount(usage.input) - cached, cachedRead: cached, output: amount(usage.output) };
  const cost = (callCost(price.type, ratesFor(formValues(price), amount(usage.input)), tokens) ?? 0) * ratio;
  return (
    <Box sx={{ p: 2, borderRadius: 1.5, border: 1, borderColor: 'divider', display: 'grid', gap: 1.5 }}>
      <Box>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {t('costOfCalls', { count: amount(usage.calls), calls: format.number(amount(usage.calls)) })}
        </Typography>
        <Typography
          component="output"
          sx={{ fontSize: '1.75rem', fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}
        >
          {format.usd(cost * amount(usage.calls))}
        </Typography>
      </Box>
      <DescriptionList
        facts={[
          [t('costOfOne'), format.exactUsd(cost)],
          [t('appliedPrice'), <Mono key="model">{price.model}</Mono>],
        ]}
      />
    </Box>
  );
}

function amount(value: number | null | undefined): number {
  return value === null || value === undefined || !Number.isFinite(value) ? 0 : Math.max(0, value);
}
