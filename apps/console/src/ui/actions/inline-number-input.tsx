import { styled } from '@mui/material/styles';
import { useState } from 'react';
import { parseNumberText } from '../inputs/parse-number-text.ts';

interface InlineNumberProps {
  value: number;
  min: number;
  max: number;
  /** True if decimals are allowed. */
  decimals?: boolean;
  /** Label with the row's name: "Priority of openai-eu". */
  label: string;
  onSave: (value: number) => void;
}

/** Edits a number in a table cell: Enter or leaving the field saves, Escape cancels. */
export function InlineNumber({ value, min, max, decimals = false, label, onSave }: InlineNumberProps) {
  const [draft, setDraft] = useState<string>();
  const number = parseNumberText(draft ?? '');
  const valid = (decimals ? Number.isFinite(number) : Number.isInteger(number)) && number >= min && number <= max;
  const leave = () => {
    if (draft !== undefined && valid && number !== value) onSave(number);
    setDraft(undefined);
  };
  return (
    <NumberField
      value={draft ?? String(value)}
      onChange={(event) => setDraft(event.target.value.trim())}
      onFocus={(event) => event.target.select()}
      onBlur={leave}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') setDraft(undefined);
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
      aria-label={label}
      aria-invalid={draft !== undefined && !valid}
      inputMode={decimals ? 'decimal' : 'numeric'}
    />
  );
}

/** A native input, because a list renders a hundred of them. */
const NumberField = styled('input')(({ theme }) => ({
  width: '100%',
  maxWidth: 88,
  marginRight: theme.spacing(-0.75),
  padding: '3px 6px',
  boxSizing: 'border-box',
  verticalAlign: 'middle',
  textAlign: 'end',
  font: 'inherit',
  fontVariantNumeric: 'tabular-nums',
  color: 'inherit',
  background: 'transparent',
  outline: 0,
  border: '1px solid transparent',
  borderRadius: 6,
  'tr:hover &, &:hover': { borderColor: theme.vars.palette.divider },
  '&:focus': { borderColor: theme.vars.palette.primary.main, background: theme.vars.palette.background.paper },
  '&[aria-invalid="true"]': { borderColor: theme.vars.palette.error.main },
}));
