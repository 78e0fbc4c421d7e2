import OutlinedInput from '@mui/material/OutlinedInput';
import { useState } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { firstMessage } from '../../../ui/inputs/picker-input.tsx';
import type { FieldProps } from '../../../ui/inputs/text-input.tsx';
import { monoFont } from '../../../ui/theme/fonts.ts';

const ROWS = 6;

/** Something of which each line is a part. What is typed stays until the value changes from outside. */
export function LinesInput<Values extends FieldValues>(
  props: FieldProps<Values> & {
    read: (lines: readonly string[]) => unknown;
    write: (value: unknown) => readonly string[];
  },
) {
  const { label, hint, help, read, write } = props;
  const { field, fieldState } = useController(props);
  const [typed, setTyped] = useState('');
  const isTyped = JSON.stringify(read(linesOf(typed))) === JSON.stringify(field.value);
  return (
    <FieldFrame label={label} help={help} hint={hint} error={firstMessage(fieldState.error)}>
      {({ id, describedBy }) => (
        <OutlinedInput
          id={id}
          fullWidth
          multiline
          minRows={ROWS / 2}
          maxRows={ROWS * 2}
          inputRef={field.ref}
          value={isTyped ? typed : write(field.value).join('\n')}
          onChange={({ target }) => {
            setTyped(target.value);
            field.onChange(read(linesOf(target.value)));
          }}
          onBlur={field.onBlur}
          error={fieldState.invalid}
          inputProps={{ 'aria-describedby': describedBy, spellCheck: false }}
          sx={{ fontFamily: monoFont, fontSize: '0.8125rem' }}
        />
      )}
    </FieldFrame>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
