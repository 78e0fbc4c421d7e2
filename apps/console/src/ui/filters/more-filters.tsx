import ButtonBase from '@mui/material/ButtonBase';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

interface MoreFiltersProps<Name extends string> {
  /** Filters that the bar does not show; without any there is no button. */
  names: readonly Name[];
  labelOf: (name: Name) => string;
  onAdd: (name: Name) => void;
}

/** Renders a menu that adds filters to the bar. */
export function MoreFilters<Name extends string>({ names, labelOf, onAdd }: MoreFiltersProps<Name>) {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      {names.length > 0 && (
        <ButtonBase
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          onClick={(event) => setAnchor(event.currentTarget)}
          sx={{
            height: { xs: 40, md: 30 },
            px: 1,
            gap: 0.5,
            borderRadius: 999,
            fontSize: '0.8125rem',
            color: 'text.secondary',
            '&:hover': { color: 'text.primary' },
          }}
        >
          <IconPlus size={14} />
          {t('filter.more')}
        </ButtonBase>
      )}
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {names.map((name) => (
          <MenuItem
            key={name}
            onClick={() => {
              setAnchor(null);
              onAdd(name);
            }}
          >
            {labelOf(name)}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
