import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type Analysis, type Dimension, dimensions } from '@switchyard/contract/usage/analytics';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MoreFilters } from '../../../ui/filters/more-filters.tsx';
import { useSetSearchParams } from '../../../ui/filters/search-params.ts';
import { TimeChip } from '../../../ui/filters/time-chip.tsx';
import type { ListState } from '../../../ui/table/list-state.ts';
import { type FilterName, textOf, timeOf, valuesOf } from './question.ts';
import { ValuesChip } from './values-chip.tsx';

interface AnalyticsFiltersProps {
  list: ListState<FilterName>;
  /** Names of the values that are filtered by. */
  named: Analysis['filtered'];
}

/** The time is always in sight; a dimension once something of it is wanted. */
export function AnalyticsFilters({ list, named }: AnalyticsFiltersProps) {
  const { t } = useTranslation(['analytics', 'common']);
  const set = useSetSearchParams();
  const [added, setAdded] = useState<Dimension>();
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
      <MoreFilters names={others} labelOf={(name) => t(`dimension.${name}`)} onAdd={setAdded} />
      {list.narrowed && (
        <Button size="small" color="inherit" startIcon={<IconX size={16} />} onClick={list.clear}>
          {t('common:filter.clear')}
        </Button>
      )}
    </Box>
  );
}
