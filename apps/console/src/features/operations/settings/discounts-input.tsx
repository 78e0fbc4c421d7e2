import { DISCOUNTS_MAX } from '@switchyard/contract/operations/setting-schemas';
import type { Settings } from '@switchyard/contract/operations/settings';
import { useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { firstMessage } from '../../../ui/inputs/picker-input.tsx';
import { RowsOrJson } from '../../../ui/inputs/rows-or-json.tsx';
import {
  type Discounts,
  discountsOfRows,
  isDiscounts,
  parseDiscounts,
  rowsOfDiscounts,
} from './discount-rows.ts';
import { DiscountRows } from './discount-rows-input.tsx';

interface DiscountsInputProps {
  control: Control<Settings>;
  label: string;
  help: string;
}

const INDENT = 2;

/** Discounts by amount, as rows or as JSON. What is no such map stays in the form as text, which its schema refuses. */
export function DiscountsInput({ control, label, help }: DiscountsInputProps) {
  const { t } = useTranslation('settings');
  const { field, fieldState } = useController({ control, name: 'rechargeDiscount' });
  const [rows, setRows] = useState(() => rowsOfDiscounts(field.value));
  const [json, setJson] = useState<string>();
  const [seen, setSeen] = useState<unknown>(field.value);
  const value: unknown = field.value;
  if (value !== seen) {
    setSeen(value);
    // Changed from outside: the form was reset.
    if (isDiscounts(value) && !same(value, discountsOfRows(rows))) setRows(rowsOfDiscounts(value));
    if (isDiscounts(value) && json !== undefined && !same(value, parseDiscounts(json)))
      setJson(textOf(value));
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
