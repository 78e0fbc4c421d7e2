import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { AMOUNT_MAX_USD } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { DISCOUNTS_MAX } from '@switchyard/contract/operations/setting-schemas';
import { type Settings, settingDefinitions } from '@switchyard/contract/operations/settings';
import { useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { AddRow, RemoveRow } from '../../../ui/form/form-layout.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { RowsOrJson } from '../../../ui/inputs/json-or-rows-input.tsx';
import { firstMessage } from '../../../ui/inputs/multi-select-input.tsx';
import { parseNumberText } from '../../../ui/inputs/parse-number-text.ts';

interface DiscountsInputProps {
  control: Control<Settings>;
  label: string;
  help: string;
}

const INDENT = 2;

/** Edits discounts as rows or as JSON. Invalid input stays in the form as text, which the schema rejects. */
export function DiscountsInput({ control, label, help }: DiscountsInputProps) {
  const { t } = useTranslation('settings');
  const { field, fieldState } = useController({ control, name: 'rechargeDiscount' });
  const [rows, setRows] = useState(() => rowsOfDiscounts(field.value));
  const [json, setJson] = useState<string>();
  const [seen, setSeen] = useState<unknown>(field.value);
  const value: unknown = field.value;
  if (value !== seen) {
    setSeen(value);
    // The value was changed by something else: the form was reset.
    if (isDiscounts(value) && !same(value, discountsOfRows(rows))) setRows(rowsOfDiscounts(value));
    if (isDiscounts(value) && json !== undefined && !same(value, parseDiscounts(json))) setJson(textOf(value));
  }
  const wrongJson = json !== undefined && parseDiscounts(json) === undefined;
  const error = useProblem({ wrongJson, rows, refusal: isDiscounts(value) ? fieldState.error : undefined });
  return (
    <FieldFrame label={label} help={help} error={error}>
      {() => (
        <RowsOrJson
          label={label}
          rows={
            <DiscountRows
              rows={rows}
              onChange={(next) => {
                setRows(next);
                field.onChange(discountsOfRows(next));
              }}
            />
          }
          json={json}
          onJson={(typed) => {
            setJson(typed);
            field.onChange(parseDiscounts(typed) ?? typed);
          }}
          onBlur={field.onBlur}
          turn={{
            label: t(json === undefined ? 'discounts.asJson' : 'discounts.asRows'),
            disabled: wrongJson || (json === undefined && !isDiscounts(value)),
            onClick: () => setJson(json === undefined && isDiscounts(value) ? textOf(value) : undefined),
          }}
        />
      )}
    </FieldFrame>
  );
}

/** Returns the problem of the whole input; rows show their own problems. */
function useProblem(found: { wrongJson: boolean; rows: readonly unknown[]; refusal: unknown }) {
  const { t } = useTranslation('settings');
  if (found.wrongJson) return t('discounts.notMap');
  return found.rows.length > DISCOUNTS_MAX ? t('discounts.problem.many') : firstMessage(found.refusal);
}

const textOf = (discounts: Discounts) => JSON.stringify(discounts, null, INDENT);

function same(one: Discounts, other: Discounts | string | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

interface DiscountRowsProps {
  rows: readonly DiscountRow[];
  onChange: (rows: DiscountRow[]) => void;
}

function DiscountRows({ rows, onChange }: DiscountRowsProps) {
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
          onChange={(part) => onChange(rows.map((other) => (other.key === row.key ? { ...other, ...part } : other)))}
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
        sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr minmax(64px, auto) auto', gap: 1, alignItems: 'center' }}
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
        <Reduction factor={parseNumberText(row.factor)} />
        <RemoveRow label={t('discounts.remove', { place })} onClick={onRemove} />
      </Box>
      {problem !== undefined && <FormHelperText error>{t(`discounts.problem.${problem}`)}</FormHelperText>}
    </Box>
  );
}

/** Shows the discount of a factor as buyers see it. */
function Reduction({ factor }: { factor: number }) {
  const { t } = useTranslation(['settings', 'common']);
  const format = useFormat();
  const shown = factor > 0 && factor <= 1;
  return (
    <Box component="span" sx={{ fontSize: '0.8125rem', color: 'text.secondary', whiteSpace: 'nowrap' }}>
      {shown && (factor === 1 ? t('discounts.full') : t('common:discounted', { value: format.discount(factor) }))}
    </Box>
  );
}

type Discounts = Settings['rechargeDiscount'];

interface DiscountRow {
  /** Stable React key while the row is edited. */
  key: number;
  amount: string;
  factor: string;
}

type RowProblem = 'amount' | 'twice' | 'factor';

export function rowsOfDiscounts(discounts: Discounts): DiscountRow[] {
  return Object.entries(discounts).map(([amount, factor], key) => ({ key, amount, factor: String(factor) }));
}

const isAmount = (usd: number) => Number.isInteger(usd) && usd >= 1 && usd <= AMOUNT_MAX_USD;
const isFactor = (factor: number) => factor > 0 && factor <= 1;

const isEmpty = ({ amount, factor }: DiscountRow) => amount.trim() === '' && factor.trim() === '';

/** Returns the problem of each row, by its key. Empty rows are ignored. */
export function problemsOfRows(rows: readonly DiscountRow[]): Map<number, RowProblem> {
  const seen = new Set<number>();
  const found = new Map<number, RowProblem>();
  for (const { key, amount, factor } of rows.filter((row) => !isEmpty(row))) {
    const usd = parseNumberText(amount);
    if (!isAmount(usd)) found.set(key, 'amount');
    else if (seen.has(usd)) found.set(key, 'twice');
    else if (!isFactor(parseNumberText(factor))) found.set(key, 'factor');
    seen.add(usd);
  }
  return found;
}

/** Returns the rows' map; while a row is invalid, a text that the setting's schema rejects. */
export function discountsOfRows(rows: readonly DiscountRow[]): Discounts | string {
  if (problemsOfRows(rows).size > 0) return JSON.stringify(rows);
  return Object.fromEntries(
    rows.filter((row) => !isEmpty(row)).map(({ amount, factor }) => [parseNumberText(amount), parseNumberText(factor)]),
  );
}

/** Returns the map; undefined for an invalid text. */
export function parseDiscounts(text: string): Discounts | undefined {
  try {
    return settingDefinitions.rechargeDiscount.schema.safeParse(text.trim() === '' ? {} : JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function isDiscounts(value: unknown): value is Discounts {
  return typeof value === 'object' && value !== null;
}
