import Box from '@mui/material/Box';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../form/field-frame.tsx';
import { AddRow, RemoveRow } from '../form/form-layout.tsx';
import { monoFont } from '../theme/design-tokens.ts';
import { RowsOrJson } from './json-or-rows-input.tsx';
import { isPairs, type PairRow, type Pairs, pairsToRows, parsePairs, rowsToPairs } from './key-value-rows.ts';
import { firstMessage } from './multi-select-input.tsx';
import type { FieldProps } from './text-input.tsx';

type PairsInputProps<Values extends FieldValues> = FieldProps<Values> & {
  /** Names of the left and right column, for placeholders and screen readers. */
  names: readonly [name: string, value: string];
};

/** Edits names with values as rows or as JSON. The form holds an object of strings. */
export function KeyValueInput<Values extends FieldValues>(props: PairsInputProps<Values>) {
  const { t } = useTranslation();
  const { label, help, hint, names } = props;
  const { field, fieldState } = useController(props);
  const [json, setJson] = useState<string>();
  const value: unknown = field.value;
  const pairs = isPairs(value) ? value : {};
  const asRows = () => {
    field.onChange(parsePairs(text ?? '') ?? pairs);
    setJson(undefined);
  };
  const text = json === undefined ? undefined : currentText(json, value, pairs);
  const wrong = text !== undefined && parsePairs(text) === undefined;
  const error = wrong ? t('form.pairs.notPairs') : firstMessage(fieldState.error);
  return (
    <FieldFrame label={label} help={help} hint={hint} error={error}>
      {() => (
        <RowsOrJson
          label={label}
          rows={<PairRows pairs={pairs} names={names} onChange={field.onChange} />}
          json={text}
          onJson={(typed) => {
            setJson(typed);
            // Invalid JSON stays in the form as text, which its schema rejects.
            field.onChange(parsePairs(typed) ?? typed);
          }}
          onBlur={field.onBlur}
          turn={{
            label: t(json === undefined ? 'form.pairs.asJson' : 'form.pairs.asRows'),
            disabled: wrong,
            onClick: () => (json === undefined ? setJson(JSON.stringify(pairs, null, 2)) : asRows()),
          }}
        />
      )}
    </FieldFrame>
  );
}

interface PairRowsProps {
  pairs: Pairs;
  names: readonly [name: string, value: string];
  onChange: (pairs: Pairs) => void;
}

function PairRows({ pairs, names: [nameLabel, valueLabel], onChange }: PairRowsProps) {
  const { t } = useTranslation();
  const [rows, setRows] = useState(() => pairsToRows(pairs));
  const [seen, setSeen] = useState(pairs);
  if (pairs !== seen) {
    setSeen(pairs);
    // The value was changed by something else: the form was reset.
    if (!sameText(pairs, rowsToPairs(rows))) setRows(pairsToRows(pairs));
  }
  const change = (next: PairRow[]) => {
    setRows(next);
    onChange(rowsToPairs(next));
  };
  const edit = (key: number, part: Partial<PairRow>) =>
    change(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const nextKey = Math.max(-1, ...rows.map(({ key }) => key)) + 1;
  const look = { fontFamily: monoFont, fontSize: '0.8125rem' };
  return (
    <Box sx={{ display: 'grid', gap: 1, width: '100%' }}>
      {rows.map(({ key, name, value }) => (
        <Box
          key={key}
          sx={{
            display: 'grid',
            gridTemplateColumns: { xs: 'minmax(0, 1fr) auto', sm: 'minmax(0, 1fr) minmax(0, 1fr) auto' },
            gap: 1,
          }}
        >
          <OutlinedInput
            value={name}
            placeholder={nameLabel}
            onChange={(event) => edit(key, { name: event.target.value })}
            inputProps={{ 'aria-label': nameLabel, spellCheck: false }}
            sx={look}
          />
          <OutlinedInput
            value={value}
            placeholder={valueLabel}
            onChange={(event) => edit(key, { value: event.target.value })}
            inputProps={{
              'aria-label': name === '' ? valueLabel : `${valueLabel}: ${name}`,
              spellCheck: false,
              autoComplete: 'off',
            }}
            sx={{ ...look, gridRow: { xs: 2, sm: 'auto' } }}
          />
          <RemoveRow
            label={t('form.pairs.remove', { name })}
            onClick={() => change(rows.filter((row) => row.key !== key))}
          />
        </Box>
      ))}
      <AddRow label={t('form.pairs.add')} onClick={() => setRows([...rows, { key: nextKey, name: '', value: '' }])} />
    </Box>
  );
}

/** Returns the typed text, unless the form has been reset since. */
function currentText(typed: string, value: unknown, pairs: Pairs): string {
  const parsed = parsePairs(typed);
  const current = parsed === undefined ? value === typed : isPairs(value) && sameText(parsed, value);
  return current ? typed : JSON.stringify(pairs, null, 2);
}

function sameText(one: Pairs, other: Pairs): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
