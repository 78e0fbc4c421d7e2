import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormLabel from '@mui/material/FormLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import type { Channel, ChannelFilter } from '@switchyard/contract/channels/channels';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selection } from './bulk-calls-and-undo.ts';

/** Channels for a bulk action: the selected ones or all that match the filter. */
export interface ChannelTarget {
  selected: readonly Channel[];
  filter: ChannelFilter;
  /** Number of channels that match the filter; undefined while unknown. */
  total: number | undefined;
}

/** Returns the target and, if channels are selected, a choice between them and all matching ones. */
export function useTargetChoice({ selected, filter, total }: ChannelTarget): { where: Selection; choice: ReactNode } {
  const { t } = useTranslation('channels');
  const labelId = useId();
  const [all, setAll] = useState(selected.length === 0);
  const where = all ? { filter } : { ids: selected.map(({ id }) => id) };
  const texts = {
    selected: t('edits.selected', { count: selected.length }),
    all: total === undefined ? t('edits.allMatching') : t('edits.matching', { count: total }),
  };
  if (selected.length === 0) return { where, choice: <div>{texts.all}</div> };
  return {
    where,
    choice: (
      <FormControl>
        <FormLabel id={labelId}>{t('edits.which')}</FormLabel>
        <RadioGroup
          aria-labelledby={labelId}
          value={all ? 'all' : 'selected'}
          onChange={(_, value) => setAll(value === 'all')}
        >
          <FormControlLabel value="selected" control={<Radio size="small" />} label={texts.selected} />
          <FormControlLabel value="all" control={<Radio size="small" />} label={texts.all} />
        </RadioGroup>
      </FormControl>
    ),
  };
}
