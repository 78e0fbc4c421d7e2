import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';

interface ChoiceOfProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

/** One of a few, outside a form. */
export function ChoiceOf({ label, value, options, onChange }: ChoiceOfProps) {
  return (
    <FieldFrame label={label} error={undefined}>
      {({ id }) => (
        <Select
          fullWidth
          displayEmpty
          value={value}
          onChange={(event) => onChange(event.target.value)}
          SelectDisplayProps={{ id, 'aria-label': label }}
        >
          {options.map((option) => (
            <MenuItem key={option.value} value={option.value}>
              {option.label}
            </MenuItem>
          ))}
        </Select>
      )}
    </FieldFrame>
  );
}
