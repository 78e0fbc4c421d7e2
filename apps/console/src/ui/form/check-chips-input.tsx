import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import { IconCheck } from '@tabler/icons-react';
import { type FieldValues, useController } from 'react-hook-form';
import type { Option } from '../filter-chip.tsx';
import { FieldFrame } from './field-frame.tsx';
import type { FieldProps } from './text-input.tsx';

/** Several of a few choices, all of them in sight. The form holds a list of their values. */
export function CheckChipsInput<Values extends FieldValues>(
  props: FieldProps<Values> & { options: readonly Option[] },
) {
  const { label, help, hint, options } = props;
  const { field, fieldState } = useController(props);
  const value: unknown = field.value;
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const toggle = (one: string) =>
    field.onChange(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]);
  return (
    <FieldFrame label={label} help={help} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <Box
          id={id}
          role="group"
          aria-label={label}
          aria-describedby={describedBy}
          onBlur={field.onBlur}
          sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}
        >
          {options.map((option) => (
            <CheckChip
              key={option.value}
              label={option.label}
              checked={chosen.includes(option.value)}
              onToggle={() => toggle(option.value)}
            />
          ))}
        </Box>
      )}
    </FieldFrame>
  );
}

function CheckChip({ label, checked, onToggle }: { label: string; checked: boolean; onToggle: () => void }) {
  return (
    <ButtonBase
      role="checkbox"
      aria-checked={checked}
      onClick={onToggle}
      sx={{
        height: { xs: 40, md: 30 },
        px: 1.25,
        gap: 0.5,
        borderRadius: 999,
        fontSize: '0.8125rem',
        border: 1,
        borderColor: checked ? 'transparent' : 'divider',
        bgcolor: checked ? 'primary.soft' : 'transparent',
        color: checked ? 'primary.onSoft' : 'text.secondary',
        '&.Mui-focusVisible': { outline: 2, outlineColor: 'primary.main' },
      }}
    >
      {checked && <IconCheck size={14} aria-hidden />}
      {label}
    </ButtonBase>
  );
}
