import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { type FieldValues, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../form/field-frame.tsx';
import type { FieldProps } from './text-input.tsx';

interface PickerOption {
  value: string;
  label: string;
  /** Text at the right: a group's ratio, a model's owner. */
  detail?: string;
  /** Heading of the option's section. */
  section?: string;
}

type PickerInputProps<Values extends FieldValues> = FieldProps<Values> & {
  options: readonly PickerOption[];
  loading?: boolean;
  placeholder?: string;
  /** True if other values can be entered; commas, spaces and line breaks separate pasted ones. */
  free?: boolean;
};

/** Chooses several values: models, groups, addresses. The form holds an array of strings. */
export function MultiSelectInput<Values extends FieldValues>(props: PickerInputProps<Values>) {
  const { t } = useTranslation();
  const { label, help, hint, options, loading = false, placeholder, free = false } = props;
  const { field, fieldState } = useController(props);
  const values: unknown = field.value;
  const chosen = Array.isArray(values) ? values.map(String) : [];
  const byValue = new Map(options.map((option) => [option.value, option]));
  return (
    <FieldFrame label={label} help={help} hint={hint} error={firstMessage(fieldState.error)}>
      {({ id, describedBy }) => (
        <Autocomplete
          id={id}
          multiple
          freeSolo={free}
          disableCloseOnSelect
          filterSelectedOptions
          limitTags={12}
          loading={loading}
          loadingText={t('loading')}
          options={options.map(({ value }) => value)}
          getOptionLabel={(value) => byValue.get(value)?.label ?? value}
          groupBy={
            options.some(({ section }) => section !== undefined)
              ? (value) => byValue.get(value)?.section ?? ''
              : undefined
          }
          value={chosen}
          onChange={(_, next) =>
            field.onChange([...new Set(next.flatMap((value) => (free ? splitPasted(value) : [value])))])
          }
          onBlur={field.onBlur}
          disabled={field.disabled ?? false}
          renderOption={({ key, ...item }, value) => (
            <Box component="li" key={key} {...item} sx={{ gap: 1 }}>
              <span>{byValue.get(value)?.label ?? value}</span>
              <Box component="span" sx={{ ml: 'auto', color: 'text.secondary' }}>
                {byValue.get(value)?.detail}
              </Box>
            </Box>
          )}
          renderInput={(params) => (
            <TextField
              {...params}
              inputRef={field.ref}
              error={fieldState.invalid}
              {...(placeholder === undefined || chosen.length > 0 ? {} : { placeholder })}
              slotProps={{
                ...params.slotProps,
                htmlInput: { ...params.slotProps.htmlInput, 'aria-describedby': describedBy },
              }}
            />
          )}
        />
      )}
    </FieldFrame>
  );
}

function splitPasted(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== '');
}

/** Returns the first error message, because the schema reports errors of a list by entry. */
export function firstMessage(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('message' in error && typeof error.message === 'string') return error.message;
  return Object.values(error)
    .map(firstMessage)
    .find((message) => message !== undefined);
}
