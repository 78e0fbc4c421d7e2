import Box from '@mui/material/Box';
import { IconCheck } from '@tabler/icons-react';
import { type FieldValues, useController } from 'react-hook-form';
import { ChipButton } from '../actions/chip-button.tsx';
import { FieldFrame } from '../form/field-frame.tsx';
import type { Option } from './select-options.ts';
import type { FieldProps } from './text-input.tsx';

/** Chooses several of a few visible options. The form holds a list of their values. */
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
          {options.map(({ value: one, label: name }) => {
            const isChosen = chosen.includes(one);
            return (
              <ChipButton
                key={one}
                role="checkbox"
                aria-checked={isChosen}
                chosen={isChosen}
                onClick={() => toggle(one)}
              >
                {isChosen && <IconCheck size={14} aria-hidden />}
                {name}
              </ChipButton>
            );
          })}
        </Box>
      )}
    </FieldFrame>
  );
}
