import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import InputBase from '@mui/material/InputBase';
import LinearProgress from '@mui/material/LinearProgress';
import List from '@mui/material/List';
import ListItemButton from '@mui/material/ListItemButton';
import ListSubheader from '@mui/material/ListSubheader';
import Typography from '@mui/material/Typography';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isComposing } from '../../ui/browser/composing.ts';
import { Name } from '../../ui/display/name.tsx';
import type { PaletteResult } from '../../ui/overlays/palette-result.ts';
import { openPalette } from './palette-state.ts';
import { usePaletteResults } from './use-palette-results.ts';

export function PaletteDialog() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const { sections, searching } = usePaletteResults(text);
  const flat = sections.flatMap(({ results }) => results);
  const chosen = Math.min(active, flat.length - 1);

  const go = (result: PaletteResult | undefined) => {
    if (result === undefined) return;
    openPalette(false);
    void navigate({ to: result.to, search: result.search ?? {} });
  };
  const moveTo = (index: number) => {
    setActive(index);
    document.getElementById(`palette-${index}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') moveTo(Math.min(chosen + 1, flat.length - 1));
    else if (event.key === 'ArrowUp') moveTo(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') go(flat[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog
      open
      onClose={() => openPalette(false)}
      slotProps={{ paper: { 'aria-label': t('palette.open') } }}
      maxWidth="sm"
      fullWidth
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
    >
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1.5,
          px: 2,
          height: 52,
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        <IconSearch size={18} />
        <InputBase
          autoFocus
          fullWidth
          placeholder={t('palette.placeholder')}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
          inputProps={{
            role: 'combobox',
            'aria-expanded': true,
            'aria-controls': 'palette-results',
            'aria-activedescendant': flat[chosen] === undefined ? undefined : `palette-${chosen}`,
            'aria-label': t('palette.placeholder'),
          }}
        />
      </Box>
      <Box sx={{ height: 2 }}>{searching && <LinearProgress sx={{ height: 2 }} />}</Box>
      <Box
        id="palette-results"
        role="listbox"
        aria-label={t('palette.results')}
        sx={{ maxHeight: 400, overflowY: 'auto', pb: 1 }}
      >
        {flat.length === 0 && !searching && (
          <Typography sx={{ p: 3, textAlign: 'center', color: 'text.secondary' }}>
            {t('palette.nothing')}
          </Typography>
        )}
        {sections.map(({ heading, results }) => (
          <List key={heading} component="div" dense disablePadding role="group" aria-label={heading}>
            <ListSubheader
              component="div"
              role="presentation"
              sx={{ bgcolor: 'background.raised', fontSize: '0.75rem', lineHeight: '30px' }}
            >
              {heading}
            </ListSubheader>
            {results.map((result) => {
              const index = flat.indexOf(result);
              return (
                <ListItemButton
                  key={result.id}
                  id={`palette-${index}`}
                  role="option"
                  aria-selected={index === chosen}
                  selected={index === chosen}
                  tabIndex={-1}
                  onMouseMove={() => setActive(index)}
                  onClick={() => go(result)}
                  sx={{ mx: 1, borderRadius: 1, gap: 2 }}
                >
                  <Typography variant="body2" noWrap sx={{ flexGrow: 1 }}>
                    <Name>{result.title}</Name>
                  </Typography>
                  <Typography variant="caption" noWrap sx={{ color: 'text.secondary' }}>
                    {result.detail}
                  </Typography>
                </ListItemButton>
              );
            })}
          </List>
        ))}
      </Box>
    </Dialog>
  );
}
