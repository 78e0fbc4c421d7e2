import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useTranslation } from 'react-i18next';
import { AddRow, RemoveRow } from '../../../ui/form/row-buttons.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { numberOf } from '../../../ui/inputs/number-text.ts';
import { type DiscountRow, problemsOfRows, type RowProblem } from './discount-rows.ts';

interface DiscountRowsProps {
  rows: readonly DiscountRow[];
  onChange: (rows: DiscountRow[]) => void;
}

export function DiscountRows({ rows, onChange }: DiscountRowsProps) {
  const { t } = useTranslation('settings');
  const problems = problemsOfRows(rows);
  const nextKey = Math.max(-1, ...rows.map(({ key }) => key)) + 1;
  return (
    <Box sx={{ display: 'grid', gap: 1, width: '100%', maxWidth: 520 }}>
      {rows.map((row, index) => (
        <Row
          key={row.key}
          row={row}
          place={index + 1}
          problem={problems.get(row.key)}
          onChange={(part) =>
            onChange(rows.map((other) => (other.key === row.key ? { ...other, ...part } : other)))
          }
          onRemove={() => onChange(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      <AddRow
        label={t('discounts.add')}
        onClick={() => onChange([...rows, { key: nextKey, amount: '', factor: '' }])}
      />
    </Box>
  );
}

interface RowProps {
  row: DiscountRow;
  place: number;
  problem: RowProblem | undefined;
  onChange: (part: Partial<DiscountRow>) => void;
  onRemove: () => void;
}

function Row({ row, place, problem, onChange, onRemove }: RowProps) {
  const { t } = useTranslation('settings');
  return (
    <Box role="group">
      <Box
        sx={{
          display: 'grid',
          gridTemplateColumns: '1fr 1fr minmax(64px, auto) auto',
          gap: 1,
          alignItems: 'center',
        }}
      >
        <OutlinedInput
          value={row.amount}
          onChange={({ target }) => onChange({ amount: target.value })}
          error={problem === 'amount' || problem === 'twice'}
          startAdornment={<InputAdornment position="start">$</InputAdornment>}
          inputProps={{ 'aria-label': `${t('discounts.amount')} ${place}`, inputMode: 'numeric' }}
        />
        <OutlinedInput
          value={row.factor}
          onChange={({ target }) => onChange({ factor: target.value })}
          error={problem === 'factor'}
          startAdornment={<InputAdornment position="start">×</InputAdornment>}
          inputProps={{ 'aria-label': `${t('discounts.factor')} ${place}`, inputMode: 'decimal' }}
        />
        <Reduction factor={numberOf(row.factor)} />
        <RemoveRow label={t('discounts.remove', { place })} onClick={onRemove} />
      </Box>
      {problem !== undefined && <FormHelperText error>{t(`discounts.problem.${problem}`)}</FormHelperText>}
    </Box>
  );
}

/** The factor as buyers read it. */
function Reduction({ factor }: { factor: number }) {
  const { t } = useTranslation(['settings', 'common']);
  const format = useFormat();
  const shown = factor > 0 && factor <= 1;
  return (
    <Box component="span" sx={{ fontSize: '0.8125rem', color: 'text.secondary', whiteSpace: 'nowrap' }}>
      {shown &&
        (factor === 1 ? t('discounts.full') : t('common:discounted', { value: format.discount(factor) }))}
    </Box>
  );
}
