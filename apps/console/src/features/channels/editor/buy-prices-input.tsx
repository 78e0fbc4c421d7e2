import Box from '@mui/material/Box';
import OutlinedInput from '@mui/material/OutlinedInput';
import { RATE_OF_USD_PER_MILLION, tokenRates } from '@switchyard/contract/catalog/price-rates';
import type { ChannelCost } from '@switchyard/contract/channels/channel-nested-settings';
import type { CreateChannel } from '@switchyard/contract/channels/channels';
import { useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { AddRow, RemoveRow } from '../../../ui/form/form-layout.tsx';
import { firstMessage } from '../../../ui/inputs/multi-select-input.tsx';
import { parseNumberText } from '../../../ui/inputs/parse-number-text.ts';

/** Edits the provider's cost of single models, a row for each. */
export function BuyPricesInput({ control }: { control: Control<CreateChannel> }) {
  const { t } = useTranslation('channels');
  const { field, fieldState } = useController({ control, name: 'cost.models' });
  const [rows, setRows] = useState(() => buyRows(field.value));
  const [seen, setSeen] = useState(field.value);
  if (field.value !== seen) {
    setSeen(field.value);
    // The value was changed by something else: the form was reset.
    if (JSON.stringify(field.value) !== JSON.stringify(buyPrices(rows, field.value))) setRows(buyRows(field.value));
  }
  const change = (next: CostRow[]) => {
    setRows(next);
    field.onChange(buyPrices(next, field.value));
  };
  const nextKey = Math.max(-1, ...rows.map(({ key }) => key)) + 1;
  return (
    <FieldFrame label={t('buyPrices')} help={t('buyPricesHelp')} error={firstMessage(fieldState.error)}>
      {() => (
        <Box sx={{ display: 'grid', gap: 1, width: '100%' }}>
          {rows.map((row) => (
            <Row
              key={row.key}
              row={row}
              onChange={(changed) => change(rows.map((other) => (other.key === row.key ? changed : other)))}
              onRemove={() => change(rows.filter((other) => other.key !== row.key))}
            />
          ))}
          <AddRow label={t('addBuyPrice')} onClick={() => setRows([...rows, newRow(nextKey)])} />
        </Box>
      )}
    </FieldFrame>
  );
}

interface RowProps {
  row: CostRow;
  onChange: (row: CostRow) => void;
  onRemove: () => void;
}

function Row({ row, onChange, onRemove }: RowProps) {
  const { t } = useTranslation('channels');
  const names = { input: t('buyPriceInput'), cachedRead: t('buyPriceCached'), output: t('buyPriceOutput') };
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 1,
        gridTemplateColumns: { xs: 'repeat(3, minmax(0, 1fr)) auto', sm: '2fr repeat(3, minmax(0, 1fr)) auto' },
      }}
    >
      <OutlinedInput
        value={row.model}
        placeholder={t('vendorModel')}
        onChange={(event) => onChange({ ...row, model: event.target.value })}
        inputProps={{ 'aria-label': t('vendorModel'), spellCheck: false, autoComplete: 'off' }}
        sx={{ gridColumn: { xs: 'span 4', sm: 'auto' } }}
      />
      {buyKinds.map((kind) => (
        <OutlinedInput
          key={kind}
          value={row.usd[kind]}
          placeholder={names[kind]}
          error={!isPrice(row.usd[kind])}
          onChange={(event) => onChange({ ...row, usd: { ...row.usd, [kind]: event.target.value } })}
          inputProps={{ 'aria-label': `${names[kind]} ${row.model}`, inputMode: 'decimal', autoComplete: 'off' }}
        />
      ))}
      <RemoveRow label={t('removeBuyPrice', { model: row.model })} onClick={onRemove} />
    </Box>
  );
}

const buyKinds = ['input', 'cachedRead', 'output'] as const;
type BuyKind = (typeof buyKinds)[number];

interface CostRow {
  key: number;
  model: string;
  /** Entered USD per million tokens. */
  usd: Record<BuyKind, string>;
}

export function newRow(key: number): CostRow {
  return { key, model: '', usd: { input: '', cachedRead: '', output: '' } };
}

export function buyRows(models: ChannelCost['models']): CostRow[] {
  const text = (rate: number | null) => (rate === null ? '' : String(rate / RATE_OF_USD_PER_MILLION));
  return Object.entries(models).map(([model, { input, cachedRead, output }], key) => ({
    key,
    model,
    usd: { input: text(input), cachedRead: text(cachedRead), output: text(output) },
  }));
}

const noRates = tokenRates.parse({ input: 0, output: 0 });

/**
 * Returns the costs without rows that have no name; an invalid price becomes NaN, which the schema rejects.
 */
export function buyPrices(rows: readonly CostRow[], before: ChannelCost['models']): ChannelCost['models'] {
  const models = rows.map(({ model, usd }) => {
    const name = model.trim();
    const rates = {
      // Rates without a field in this form keep their values.
      ...(before[name] ?? noRates),
      input: rateOf(usd.input) ?? 0,
      cachedRead: rateOf(usd.cachedRead),
      output: rateOf(usd.output) ?? 0,
    };
    return [name, rates] as const;
  });
  return Object.fromEntries(models.filter(([name]) => name !== ''));
}

export function isPrice(text: string): boolean {
  const usd = parseNumberText(text);
  return text.trim() === '' || (Number.isFinite(usd) && usd >= 0);
}

function rateOf(text: string): number | null {
  return text.trim() === '' ? null : Math.round(parseNumberText(text) * RATE_OF_USD_PER_MILLION);
}
