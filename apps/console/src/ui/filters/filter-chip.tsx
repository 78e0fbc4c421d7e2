import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../i18n/bidi.ts';
import { ChipButton } from '../actions/buttons.tsx';

export interface Option {
  value: string;
  label: string;
}

interface FilterChipProps {
  label: string;
  value: string | undefined;
  options: readonly Option[];
  onChange: (value: string | undefined) => void;
}

/** Renders one filter with fixed options: "Status: enabled". */
export function FilterChip({ label, value, options, onChange }: FilterChipProps) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const chosen = options.find((option) => option.value === value);
  const choose = (next: string | undefined) => {
    setAnchor(null);
    onChange(next);
  };
  return (
    <>
      <ChipButton
        chosen={chosen !== undefined}
        aria-haspopup="listbox"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {chosen === undefined ? label : `${label}: ${isolateBidi(chosen.label)}`}
        <IconChevronDown size={14} />
      </ChipButton>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        <MenuItem selected={chosen === undefined} onClick={() => choose(undefined)}>
          {t('filter.any')}
        </MenuItem>
        {options.map((option) => (
          <MenuItem key={option.value} selected={option.value === value} onClick={() => choose(option.value)}>
            {option.label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
