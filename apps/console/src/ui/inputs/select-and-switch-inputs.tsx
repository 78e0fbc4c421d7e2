import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import Switch from '@mui/material/Switch';
import { useId } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { FieldFrame } from '../form/field-frame.tsx';
import { Help } from '../form/field-help.tsx';
import type { Option } from './select-options.ts';
import type { FieldProps } from './text-input.tsx';

export function SelectInput<Values extends FieldValues>(
  props: FieldProps<Values> & {
    options: readonly Option[];
    /** Text that describes the value in effect while nothing is chosen. */
    whenEmpty?: string | undefined;
  },
) {
  const { label, help, hint, options, whenEmpty = '' } = props;
  const { field, fieldState } = useController(props);
  return (
    <FieldFrame label={label} help={help} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <Select
          fullWidth
          displayEmpty
          value={field.value || whenEmpty}
          onChange={field.onChange}
          onBlur={field.onBlur}
          disabled={field.disabled ?? false}
          error={fieldState.invalid}
          inputRef={field.ref}
          SelectDisplayProps={{ id, 'aria-describedby': describedBy, 'aria-label': label }}
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

export function SwitchInput<Values extends FieldValues>(props: FieldProps<Values>) {
  const { label, help, hint } = props;
  const { field, fieldState } = useController(props);
  const id = useId();
  return (
    <Box>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 36 }}>
        <Switch
          id={id}
          checked={field.value === true}
          onChange={(_, checked) => field.onChange(checked)}
          onBlur={field.onBlur}
          disabled={field.disabled ?? false}
        />
        <Box component="label" htmlFor={id} sx={{ fontSize: '0.875rem' }}>
          {label}
        </Box>
        {help !== undefined && <Help text={help} />}
      </Box>
      {(fieldState.error?.message ?? hint) !== undefined && (
        <FormHelperText error={fieldState.invalid} sx={{ mx: 0, mt: 0 }}>
          {fieldState.error?.message ?? hint}
        </FormHelperText>
      )}
    </Box>
  );
}

interface ChoiceOfProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

/** Renders a select outside a form. */
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
