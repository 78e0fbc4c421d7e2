import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import type { ReactNode } from 'react';

interface ChoiceRowProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; icon?: ReactNode }[];
  onChange: (value: Value) => void;
}

/** Renders a few options side by side, of which one is selected. */
export function ChoiceRow<Value extends string>({ label, value, options, onChange }: ChoiceRowProps<Value>) {
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      aria-label={label}
      value={value}
      onChange={(_, next: Value | null) => {
        if (next !== null) onChange(next);
      }}
      // Each button has its own border, so that a second row looks like the first.
      sx={{
        flexWrap: 'wrap',
        gap: 0.5,
        '& .MuiToggleButtonGroup-grouped.MuiToggleButtonGroup-grouped': {
          m: 0,
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
        },
      }}
    >
      {options.map((option) => (
        <ToggleButton key={option.value} value={option.value} sx={{ textTransform: 'none', gap: 0.75, px: 1.5 }}>
          {option.icon}
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
