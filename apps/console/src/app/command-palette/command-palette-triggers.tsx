import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { openPalette, usePaletteOpen } from './command-palette-open-state.ts';

const shortcut = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

export function PaletteButton() {
  const { t } = useTranslation('shell');
  return (
    <ButtonBase
      onClick={() => openPalette(true)}
      aria-label={`${t('palette.hint')} ${shortcut}`}
      aria-keyshortcuts="Control+K Meta+K"
      sx={{
        height: { xs: 40, md: 36 },
        minWidth: { xs: 40, md: 280 },
        px: { xs: 1, md: 1.5 },
        gap: 1,
        borderRadius: 1,
        justifyContent: { xs: 'center', md: 'flex-start' },
        color: 'text.secondary',
        fontSize: '0.8125rem',
        border: { xs: 0, md: 1 },
        borderColor: { md: 'divider' },
        bgcolor: { md: 'background.paper' },
        mr: { md: 1 },
        '&:hover': { color: 'text.primary' },
      }}
    >
      <IconSearch size={18} />
      <Box component="span" sx={{ display: { xs: 'none', md: 'contents' } }}>
        <span>{t('palette.hint')}</span>
        <Box
          component="kbd"
          sx={{
            ml: 'auto',
            fontFamily: 'inherit',
            fontSize: '0.75rem',
            px: 0.75,
            borderRadius: 0.5,
            bgcolor: 'neutral.soft',
            color: 'neutral.onSoft',
          }}
        >
          {shortcut}
        </Box>
      </Box>
    </ButtonBase>
  );
}

const PaletteDialog = lazy(() =>
  import('./command-palette-dialog.tsx').then(({ PaletteDialog }) => ({ default: PaletteDialog })),
);

/** Opens the command palette on Ctrl+K or ⌘K anywhere in the panel. */
export function CommandPalette() {
  const open = usePaletteOpen();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      openPalette(true);
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
      openPalette(false);
    };
  }, []);
  if (!open) return null;
  return (
    <Suspense fallback={null}>
      <PaletteDialog />
    </Suspense>
  );
}
