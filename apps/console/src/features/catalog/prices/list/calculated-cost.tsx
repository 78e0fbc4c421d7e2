import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Price } from '@switchyard/contract/catalog/prices';
import { useTranslation } from 'react-i18next';
import { DescriptionList } from '../../../../ui/display/description-list.tsx';
import { Mono } from '../../../../ui/display/mono.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { formValues, ratesFor } from '../editor/price-values.ts';
import { callCost } from './price-cost.ts';

interface CalculatedCostProps {
  model: string;
  price: Price | undefined;
  /** Amounts; null for an empty field, which counts as 0. */
  usage: Partial<Record<'input' | 'cachedRead' | 'output' | 'calls', number | null>>;
  ratio: number;
}

export function CalculatedCost({ model, price, usage, ratio }: CalculatedCostProps) {
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
