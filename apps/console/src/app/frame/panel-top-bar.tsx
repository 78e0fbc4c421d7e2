import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import { IconLayoutSidebar, IconMenu2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { drawerWidth, topBarHeight } from '../../ui/theme/tokens.ts';
import { PaletteButton } from '../palette/palette-button.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { NoticeBell } from './notice-bell.tsx';
import { SiteLogo } from './site-logo.tsx';
import { ThemeMenu } from './theme-menu.tsx';
import { UserMenu } from './user-menu.tsx';

export function PanelTopBar({
  onToggleDrawer,
  drawerOpen,
}: {
  onToggleDrawer: () => void;
  drawerOpen: boolean;
}) {
  const { t } = useTranslation('shell');
  const label = t(drawerOpen ? 'closeDrawer' : 'openDrawer');
  return (
    <Box
      component="header"
      sx={{
        position: 'fixed',
        inset: '0 0 auto',
        zIndex: 'appBar',
        height: { xs: topBarHeight.phone, md: topBarHeight.wide },
        display: 'flex',
        alignItems: 'center',
        gap: { xs: 0.5, md: 1 },
        px: { xs: 1, md: 2 },
        bgcolor: 'background.default',
      }}
    >
      <Box sx={{ display: { xs: 'none', md: 'flex' }, alignItems: 'center', width: drawerWidth - 56 }}>
        <SiteLogo />
      </Box>
      <IconButton onClick={onToggleDrawer} title={label} aria-label={label} aria-expanded={drawerOpen}>
        <Box component="span" sx={{ display: { xs: 'none', md: 'inline-flex' } }}>
          <IconLayoutSidebar size={20} />
        </Box>
        <Box component="span" sx={{ display: { xs: 'inline-flex', md: 'none' } }}>
          <IconMenu2 size={22} />
        </Box>
      </IconButton>
      <Breadcrumbs />
      <Box sx={{ flexGrow: 1 }} />
      <span data-tour="palette">
        <PaletteButton />
      </span>
      <span data-tour="notices">
        <NoticeBell />
      </span>
      <ThemeMenu />
      <span data-tour="language">
        <LanguageMenu />
      </span>
      <span data-tour="account">
        <UserMenu />
      </span>
    </Box>
  );
}
