import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import { type FieldValues, useController } from 'react-hook-form';
import { FieldFrame } from '../form/field-frame.tsx';
import { ProviderLogo } from '../product/provider-logo.tsx';
import type { FieldProps } from './text-input.tsx';

interface PickedProvider {
  type: number;
  /** Provider id, or the data URL of a picture. */
  id: string;
  label: string;
}

const labelOf = ({ label }: PickedProvider): string => label;

/** Chooses a provider by typing its name; the form holds its integer. `nameOf` translates names. */
export function ProviderPicker<Values extends FieldValues, Picked extends PickedProvider>(
  props: FieldProps<Values> & { providers: readonly Picked[]; nameOf?: (provider: Picked) => string },
) {
  const { label, help, hint, providers, nameOf = labelOf } = props;
  const { field, fieldState } = useController(props);
  const chosen = providers.find(({ type }) => type === field.value) ?? null;
  return (
    <FieldFrame label={label} help={help} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <Autocomplete
          id={id}
          openOnFocus
          autoHighlight
          options={providers}
          value={chosen}
          getOptionLabel={nameOf}
          getOptionKey={(provider) => provider.type}
          isOptionEqualToValue={(one, other) => one.type === other.type}
          onChange={(_, provider) => field.onChange(provider?.type ?? 0)}
          onBlur={field.onBlur}
          renderOption={({ key, ...item }, provider) => (
            <Box component="li" key={key} {...item} sx={{ gap: 1.25 }}>
              <ProviderLogo provider={provider.id} size={18} />
              {nameOf(provider)}
            </Box>
          )}
          renderInput={(params) => (
            <TextField
              {...params}
              inputRef={field.ref}
              error={fieldState.invalid}
              slotProps={{
                ...params.slotProps,
                htmlInput: { ...params.slotProps.htmlInput, 'aria-describedby': describedBy },
                input: {
                  ...params.slotProps.input,
                  startAdornment: chosen !== null && (
                    <InputAdornment position="start" sx={{ ml: 0.5 }}>
                      <ProviderLogo provider={chosen.id} size={18} />
                    </InputAdornment>
                  ),
                },
              }}
            />
          )}
        />
      )}
    </FieldFrame>
  );
}
