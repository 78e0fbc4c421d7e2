import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { type Control, useController } from 'react-hook-form';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { monoFont } from '../../../ui/theme/fonts.ts';
import type { DetailValues } from './detail-values.ts';

/** A list of thousands is not drawn; a few letters narrow it. */
const SHOWN = 50;

interface ModelInputProps {
  control: Control<DetailValues>;
  label: string;
  hint: string;
  /** Names that are known; any other may be typed. */
  names: readonly string[];
}

export function ModelInput({ control, label, hint, names }: ModelInputProps) {
  const { field, fieldState } = useController({ control, name: 'model' });
  return (
    <FieldFrame label={label} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <Autocomplete
          id={id}
          freeSolo
          options={names}
          inputValue={field.value}
          onInputChange={(_, typed) => field.onChange(typed)}
          onBlur={field.onBlur}
          filterOptions={(options, { inputValue }) =>
            options.filter((name) => name.includes(inputValue.trim())).slice(0, SHOWN)
          }
          renderInput={(params) => (
            <TextField
              {...params}
              autoFocus
              inputRef={field.ref}
              error={fieldState.invalid}
              slotProps={{
                ...params.slotProps,
                htmlInput: {
                  ...params.slotProps.htmlInput,
                  'aria-describedby': describedBy,
                  spellCheck: false,
                  style: { fontFamily: monoFont, fontSize: '0.8125rem' },
                },
              }}
            />
          )}
        />
      )}
    </FieldFrame>
  );
}
