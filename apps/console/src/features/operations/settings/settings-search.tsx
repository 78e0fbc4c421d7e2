import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

export function SettingsSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation('settings');
  return (
    <OutlinedInput
      type="search"
      value={value}
      placeholder={t('search')}
      inputProps={{ 'aria-label': t('search'), enterKeyHint: 'search' }}
      startAdornment={
        <InputAdornment position="start">
          <IconSearch size={16} />
        </InputAdornment>
      }
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onChange('');
      }}
    />
  );
}
