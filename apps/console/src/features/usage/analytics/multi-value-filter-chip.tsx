import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Popover from '@mui/material/Popover';
import TextField from '@mui/material/TextField';
import type { Dimension, NamedValue } from '@switchyard/contract/usage/analytics';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isolateBidi } from '../../../i18n/bidi.ts';
import { ChipButton } from '../../../ui/actions/chip-button.tsx';
import { useDebounced } from '../../../ui/browser/use-debounced.ts';
import { useValueName } from './analysis-value-formats.ts';
import { valuesQuery } from './queries.ts';

const DEBOUNCE_MS = 250;

interface ValuesChipProps {
  dimension: Dimension;
  values: readonly string[];
  named: readonly NamedValue[];
  onChange: (values: string[]) => void;
  /** True if the list of values is open at first, for a filter that was just added. */
  startOpen: boolean;
  /** Callback when the list is closed without a value. */
  onAbandon: () => void;
}

/** Renders a filter with any number of values: "User: ada +2". */
export function MultiValueFilterChip({ dimension, values, named, onChange, startOpen, onAbandon }: ValuesChipProps) {
  const { t } = useTranslation('analytics');
  const nameOf = useValueName();
  const anchor = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(startOpen);
  const chosen = values.map((key) => named.find((value) => value.key === key) ?? { key, name: key });
  const [first] = chosen;
  const label = t(`dimension.${dimension}`);
  const more = values.length > 1 ? ` +${values.length - 1}` : '';
  return (
    <>
      <Box ref={anchor} sx={{ display: 'inline-flex' }}>
        <ChipButton
          chosen={first !== undefined}
          aria-haspopup="dialog"
          aria-expanded={open}
          onClick={() => setOpen(true)}
        >
          {first === undefined ? label : `${label}: ${isolateBidi(nameOf(dimension, first))}${more}`}
          <IconChevronDown size={14} />
        </ChipButton>
      </Box>
      <Popover
        open={open}
        anchorEl={() => anchor.current}
        onClose={() => {
          setOpen(false);
          if (values.length === 0) onAbandon();
        }}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{ paper: { 'aria-label': label, role: 'dialog' } }}
      >
        <ValuesPicker dimension={dimension} label={label} chosen={chosen} onChange={onChange} />
      </Popover>
    </>
  );
}

interface ValuesPickerProps {
  dimension: Dimension;
  label: string;
  chosen: readonly NamedValue[];
  onChange: (values: string[]) => void;
}

function ValuesPicker({ dimension, label, chosen, onChange }: ValuesPickerProps) {
  const nameOf = useValueName();
  const [text, setText] = useState('');
  const keyword = useDebounced(text.trim(), DEBOUNCE_MS);
  const { data = [], isFetching } = useQuery(valuesQuery(dimension, keyword));
  return (
    <Box sx={{ p: 1.5, width: 320, maxWidth: '90vw' }}>
      <Autocomplete
        multiple
        autoHighlight
        openOnFocus
        disableCloseOnSelect
        options={data}
        loading={isFetching}
        // The server has already filtered the options.
        filterOptions={(options) => options}
        value={[...chosen]}
        inputValue={text}
        onInputChange={(_, next) => setText(next)}
        getOptionLabel={(value) => nameOf(dimension, value)}
        getOptionKey={({ key }) => key}
        isOptionEqualToValue={(one, other) => one.key === other.key}
        onChange={(_, next) => onChange(next.map(({ key }) => key))}
        renderInput={(params) => <TextField {...params} label={label} autoFocus />}
      />
    </Box>
  );
}
