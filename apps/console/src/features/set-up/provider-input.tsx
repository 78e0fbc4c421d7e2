import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import type { Provider } from '@switchyard/contract/channels';
import { type FieldValues, useController } from 'react-hook-form';
import { FieldFrame } from '../../ui/form/field-frame.tsx';
import type { FieldProps } from '../../ui/form/text-input.tsx';
import { ProviderLogo } from '../../ui/provider-logo.tsx';

/** A vendor by name and mark; the form holds its integer. */
export function ProviderInput<Values extends FieldValues>(
  props: FieldProps<Values> & { providers: readonly Provider[] },
) {
  const { field, fieldState } = useController(props);
  return (
    <FieldFrame label={props.label} help={props.help} hint={props.hint} error={fieldState.error?.message}>
      {({ id }) => (
        <Select
          fullWidth
          value={field.value ?? ''}
          onChange={field.onChange}
          onBlur={field.onBlur}
          inputRef={field.ref}
          SelectDisplayProps={{ id, 'aria-label': props.label }}
        >
          {props.providers.map((provider) => (
            <MenuItem key={provider.type} value={provider.type}>
              <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1 }}>
                <ProviderLogo provider={provider.id} />
                {provider.label}
              </Box>
            </MenuItem>
          ))}
        </Select>
      )}
    </FieldFrame>
  );
}
