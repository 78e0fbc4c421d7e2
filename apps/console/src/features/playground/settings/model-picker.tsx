import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { ownModelsQuery } from '../../catalog/models/queries.ts';

interface ModelPickerProps {
  value: string;
  label: string;
  onChange: (model: string) => void;
}

/**
 * Chooses a model that the user can call. Other names can be entered, because channels may offer patterns.
 */
export function ModelPicker({ value, label, onChange }: ModelPickerProps) {
  const { t } = useTranslation(['playground', 'common']);
  const { data, isPending } = useQuery(ownModelsQuery);
  return (
    <Autocomplete
      freeSolo
      selectOnFocus
      autoSelect
      disableClearable
      loading={isPending}
      loadingText={t('common:loading')}
      options={data ?? []}
      // With undefined, the input would become uncontrolled and keep its old value.
      value={value}
      onChange={(_, next) => onChange(next.trim())}
      renderInput={(params) => (
        <TextField
          {...params}
          placeholder={t('chooseModel')}
          slotProps={{
            ...params.slotProps,
            htmlInput: {
              ...params.slotProps.htmlInput,
              'aria-label': label,
              spellCheck: false,
              style: { fontFamily: monoFont, fontSize: '0.8125rem' },
            },
          }}
        />
      )}
      sx={{ flexGrow: 1, minWidth: 0, maxWidth: 360 }}
    />
  );
}
