import ButtonBase from '@mui/material/ButtonBase';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListState } from '../table/url-list-state.ts';
import { TextFilterChip } from './text-filter-chip.tsx';

interface TextFiltersProps<Name extends string> {
  list: Pick<ListState<Name>, 'filters' | 'setFilter'>;
  names: readonly Name[];
  labelOf: (name: Name) => string;
  /** Returns the name of an id: user 7 is ada. */
  shownOf?: (name: Name, value: string) => string | undefined;
}

/** Renders the text filters that are set, and a menu of the others. */
export function TextFilters<Name extends string>(props: TextFiltersProps<Name>) {
  const { names, labelOf, shownOf } = props;
  const { filters, setFilter } = props.list;
  const [added, setAdded] = useState<Name>();
  const shown = names.filter((name) => filters[name] !== undefined || name === added);
  const others = names.filter((name) => !shown.includes(name));
  return (
    <>
      {shown.map((name) => (
        <TextFilterChip
          key={name}
          label={labelOf(name)}
          value={filters[name]}
          shown={shownOf?.(name, filters[name] ?? '')}
          startOpen={name === added && filters[name] === undefined}
          onAbandon={() => setAdded(undefined)}
          onChange={(value) => {
            setAdded(undefined);
            setFilter(name, value);
          }}
        />
      ))}
      <MoreFilters names={others} labelOf={labelOf} onAdd={setAdded} />
    </>
  );
}

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
