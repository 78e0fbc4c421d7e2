import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../i18n/bidi.ts';
import { ChipButton } from '../actions/chip-button.tsx';
import type { Option } from '../inputs/select-options.ts';
import type { ListState } from '../table/url-list-state.ts';

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

interface FilterChipsProps<Name extends string> {
  list: Pick<ListState<Name>, 'filters' | 'setFilter'>;
  chips: readonly { name: NoInfer<Name>; label: string; options: readonly Option[] }[];
}

/** Renders the filters of a list that have fixed options. */
export function FilterChips<Name extends string>({ list: { filters, setFilter }, chips }: FilterChipsProps<Name>) {
  return chips.map(({ name, label, options }) => (
    <FilterChip
      key={name}
      label={label}
      value={filters[name]}
      options={options}
      onChange={(value) => setFilter(name, value)}
    />
  ));
}
