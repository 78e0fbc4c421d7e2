import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { type FieldValues, useController } from 'react-hook-form';
import { FieldFrame } from '../../ui/form/field-frame.tsx';
import type { FieldProps } from '../../ui/form/text-input.tsx';
import { ProviderLogo } from '../../ui/provider-logo.tsx';
import { providersQuery } from '../channels/queries.ts';

/** Whose model it is; the form holds the provider's integer, 0 for nobody we know. */
export function OwnerInput<Values extends FieldValues>(props: FieldProps<Values>) {
  const { label, help, hint } = props;
  const { field, fieldState } = useController(props);
  const providers = useQuery(providersQuery).data ?? [];
  const chosen = providers.find(({ type }) => type === field.value) ?? null;
  return (
    <FieldFrame label={label} help={help} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <Autocomplete
          id={id}
          options={providers}
          value={chosen}
          getOptionLabel={(provider) => provider.label}
          getOptionKey={(provider) => provider.id}
          isOptionEqualToValue={(one, other) => one.type === other.type}
          onChange={(_, provider) => field.onChange(provider?.type ?? 0)}
          onBlur={field.onBlur}
          renderOption={({ key, ...item }, provider) => (
            <Box component="li" key={key} {...item} sx={{ gap: 1.25 }}>
              <ProviderLogo provider={provider.id} />
              {provider.label}
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
                      <ProviderLogo provider={chosen.id} />
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
