import { useState } from 'react';
import type { ListState } from '../table/list-state.ts';
import { MoreFilters } from './more-filters.tsx';
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
