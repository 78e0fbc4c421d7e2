import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';

interface ChoiceButtonsProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

/** Renders a few options as buttons, of which one is selected. */
export function ChoiceButtons<Value extends string>({ label, value, options, onChange }: ChoiceButtonsProps<Value>) {
  return (
    <ToggleButtonGroup size="small" exclusive value={value} aria-label={label}>
      {options.map((option) => (
        <ToggleButton
          key={option.value}
          value={option.value}
          onClick={() => onChange(option.value)}
          sx={{ px: 1.5, height: { xs: 40, md: 36 }, whiteSpace: 'nowrap' }}
        >
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
