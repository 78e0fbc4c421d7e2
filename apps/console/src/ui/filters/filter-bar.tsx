import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { IconSearch, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isComposing } from '../browser/ime-composition.ts';
import type { ListView } from '../table/url-list-state.ts';

const DEBOUNCE_MS = 350;

interface FilterBarProps {
  list: ListView;
  /** Fields that the box searches: "Name, model, key". */
  placeholder: string;
  /** FilterChip elements. */
  children?: ReactNode;
}

/** Renders a search box and filter chips, whose state is in the URL. */
export function FilterBar({ list, placeholder, children }: FilterBarProps) {
  const { t } = useTranslation();
  return (
    <Box role="search" sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
      <SearchBox list={list} placeholder={placeholder} />
      {children}
      {list.narrowed && (
        <Button size="small" color="inherit" startIcon={<IconX size={16} />} onClick={list.clear}>
          {t('filter.clear')}
        </Button>
      )}
    </Box>
  );
}

function SearchBox({ list, placeholder }: Pick<FilterBarProps, 'list' | 'placeholder'>) {
  const [text, setText] = useState(list.keyword);
  const [sent, setSent] = useState(list.keyword);
  const [seen, setSeen] = useState(list.keyword);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (list.keyword !== seen) {
    setSeen(list.keyword);
    // Something other than this box changed the URL: Back, a link or "clear".
    if (list.keyword !== sent) setText(list.keyword);
    setSent(list.keyword);
  }

  const search = (value: string) => {
    clearTimeout(timer.current);
    const keyword = value.trim();
    setSent(keyword);
    if (keyword !== list.keyword) list.setKeyword(keyword);
  };

  return (
    <OutlinedInput
      type="search"
      value={text}
      placeholder={placeholder}
      inputProps={{ 'aria-label': placeholder, enterKeyHint: 'search' }}
      startAdornment={
        <InputAdornment position="start">
          <IconSearch size={16} />
        </InputAdornment>
      }
      onChange={(event) => {
        const { value } = event.target;
        setText(value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => search(value), DEBOUNCE_MS);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !isComposing(event)) search(text);
        if (event.key === 'Escape' && text !== '') {
          setText('');
          search('');
        }
      }}
      sx={{ width: { xs: '100%', sm: 280 }, fontSize: '0.8125rem' }}
    />
  );
}
