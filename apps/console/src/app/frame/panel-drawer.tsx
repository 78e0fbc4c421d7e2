import Box from '@mui/material/Box';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import ListSubheader from '@mui/material/ListSubheader';
import { Link as RouterLink } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { mayAccess } from '../../access.ts';
import { useSelf } from '../../features/accounts/session/queries.ts';
import { useSite } from '../../features/site/site/queries.ts';
import { usePathname } from '../../ui/browser/use-pathname.ts';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { screenIcons } from '../screen-icons.ts';
import { type Screen, screenGroups, screenPath, screens } from '../screens.ts';
import { UserCard } from './user-card.tsx';

export function PanelDrawer() {
  const { t } = useTranslation('shell');
  const self = useSelf();
  const version = useSite()?.version ?? '';
  const shown = screens.filter(
    (screen) => screenIcons[screen.title] !== undefined && mayAccess(self, screen.access),
  );
  return (
    <Box
      data-tour="navigation"
      sx={{
        display: 'flex',
        flexDirection: 'column',
        minHeight: '100%',
        px: 1.5,
        pt: { xs: 2, md: 0 },
        pb: 2,
      }}
    >
      <UserCard />
      {screenGroups.map((group) => {
        const items = shown.filter((screen) => screen.group === group);
        if (items.length === 0) return null;
        return (
          <List key={group} disablePadding sx={{ mt: 2 }} aria-labelledby={`nav-${group}`}>
            <ListSubheader
              id={`nav-${group}`}
              disableSticky
              sx={{
                bgcolor: 'transparent',
                fontSize: '0.75rem',
                lineHeight: '24px',
                px: 1.5,
                color: 'text.secondary',
              }}
            >
              {t(`group.${group}`)}
            </ListSubheader>
            {items.map((screen) => (
              <NavItem key={screen.path} screen={screen} />
            ))}
          </List>
        );
      })}
      <Box sx={{ flexGrow: 1, minHeight: 24 }} />
      {version !== '' && (
        <Box sx={{ px: 1.5 }}>
          <StatusChip tone="neutral" dot={false}>
            {version}
          </StatusChip>
        </Box>
      )}
    </Box>
  );
}

function NavItem({ screen }: { screen: Screen }) {
  const { t } = useTranslation('shell');
  const pathname = usePathname();
  const path = screenPath(screen);
  const here = pathname === path || pathname.startsWith(`${path}/`);
  const Icon = screenIcons[screen.title];
  return (
    <ListItem disablePadding>
      <ListItemButton
        component={RouterLink}
        to={path}
        selected={here}
        {...(here ? { 'aria-current': 'page' } : {})}
        sx={{
          borderRadius: 1,
          minHeight: { xs: 44, md: 36 },
          py: 0,
          px: 1.5,
          my: '1px',
          color: 'text.secondary',
          '&:hover': { bgcolor: 'neutral.soft', color: 'text.primary' },
          '&.Mui-selected, &.Mui-selected:hover': { bgcolor: 'primary.soft', color: 'primary.onSoft' },
        }}
      >
        <ListItemIcon>{Icon !== undefined && <Icon size={18} stroke={1.75} />}</ListItemIcon>
        <ListItemText
          primary={t(`screen.${screen.title}`)}
          slotProps={{ primary: { sx: { fontSize: '0.875rem', fontWeight: here ? 500 : 400 } } }}
        />
      </ListItemButton>
    </ListItem>
  );
}
