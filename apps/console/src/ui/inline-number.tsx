import InputBase from '@mui/material/InputBase';
import { useState } from 'react';

interface InlineNumberProps {
  value: number;
  min: number;
  max: number;
  /** Whole numbers only by default. */
  decimals?: boolean;
  /** Names the field with its row: "Priority of openai-eu". */
  label: string;
  onSave: (value: number) => void;
}

/** A number in a table's cell: Enter or leaving saves it, Escape takes it back. */
export function InlineNumber({ value, min, max, decimals = false, label, onSave }: InlineNumberProps) {
  const [draft, setDraft] = useState<string>();
  const number = Number(draft);
  const valid =
    draft !== '' &&
    (decimals ? Number.isFinite(number) : Number.isInteger(number)) &&
    number >= min &&
    number <= max;
  const leave = () => {
    if (draft !== undefined && valid && number !== value) onSave(number);
    setDraft(undefined);
  };
  return (
    <InputBase
      value={draft ?? String(value)}
      onChange={(event) => setDraft(event.target.value.trim())}
      onFocus={(event) => event.target.select()}
      onBlur={leave}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') setDraft(undefined);
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.target.blur();
      }}
      inputProps={{
        'aria-label': label,
        'aria-invalid': draft !== undefined && !valid,
        inputMode: decimals ? 'decimal' : 'numeric',
      }}
      sx={{
        width: '100%',
        maxWidth: 88,
        mr: -0.75,
        verticalAlign: 'middle',
        fontSize: 'inherit',
        border: 1,
        borderRadius: 0.75,
        borderColor: draft !== undefined && !valid ? 'error.main' : 'transparent',
        'tr:hover &, &:hover': { borderColor: 'divider' },
        '&.Mui-focused': { borderColor: 'primary.main', bgcolor: 'background.paper' },
        '& input': {
          textAlign: 'end',
          px: 0.75,
          py: '3px',
          height: 'auto',
          fontVariantNumeric: 'tabular-nums',
        },
      }}
    />
  );
}
