import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { type Analysis, type Dimension, dimensions } from '@switchyard/contract/analytics';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChipButton } from '../../ui/chip-button.tsx';
import type { ListState } from '../../ui/data-table/list-state.ts';
import { useSetSearchParams } from '../../ui/search-params.ts';
import { TimeChip } from '../../ui/time-chip.tsx';
import { type FilterName, textOf, timeOf, valuesOf } from './question.ts';
import { ValuesChip } from './values-chip.tsx';

interface AnalyticsFiltersProps {
  list: ListState<FilterName>;
  /** What people call the values that are filtered by. */
  named: Analysis['filtered'];
}

/** The time is always in sight; a dimension once something of it is wanted. */
export function AnalyticsFilters({ list, named }: AnalyticsFiltersProps) {
  const { t } = useTranslation(['analytics', 'common']);
  const set = useSetSearchParams();
  const [added, setAdded] = useState<Dimension>();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { filters } = list;
  const shown = dimensions.filter((name) => filters[name] !== undefined || name === added);
  const others = dimensions.filter((name) => !shown.includes(name));
  return (
    <Box role="search" sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
      <TimeChip
        value={timeOf(filters)}
        onChange={({ time, start_timestamp, end_timestamp }) =>
          set({ time, start_timestamp, end_timestamp, page: undefined })
        }
      />
      {shown.map((name) => (
        <ValuesChip
          key={name}
          dimension={name}
          values={valuesOf(filters[name])}
          named={named[name] ?? []}
          startOpen={name === added && filters[name] === undefined}
          onChange={(values) => {
            setAdded(values.length === 0 ? undefined : name);
            list.setFilter(name, textOf(values));
          }}
          onAbandon={() => setAdded(undefined)}
        />
      ))}
      {others.length > 0 && (
        <ChipButton
          chosen={false}
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          <IconPlus size={14} />
          {t('common:filter.more')}
        </ChipButton>
      )}
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {others.map((name) => (
          <MenuItem
            key={name}
            onClick={() => {
              setAnchor(null);
              setAdded(name);
            }}
          >
            {t(`dimension.${name}`)}
          </MenuItem>
        ))}
      </Menu>
      {list.narrowed && (
        <Button size="small" color="inherit" startIcon={<IconX size={16} />} onClick={list.clear}>
          {t('common:filter.clear')}
        </Button>
      )}
    </Box>
  );
}
