import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import LinearProgress from '@mui/material/LinearProgress';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import ListSubheader from '@mui/material/ListSubheader';
import Skeleton from '@mui/material/Skeleton';
import type { Theme } from '@mui/material/styles';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { Outlet, Link as RouterLink, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mayAccess } from '../../access.ts';
import { useCurrentUser, useWaitsForSignIn } from '../../features/accounts/session/queries.ts';
import { useGroupName } from '../../features/accounts/user-groups/queries.ts';
import { useSite } from '../../features/site/site/queries.ts';
import { paths } from '../../paths.ts';
import { useStoredPreference } from '../../ui/browser/stored-preference.ts';
import { usePathname } from '../../ui/browser/use-pathname.ts';
import { StatusChip } from '../../ui/display/status-and-tag-chips.tsx';
import { UserAvatar } from '../../ui/display/user-avatar.tsx';
import { useSearchParams } from '../../ui/filters/search-params.ts';
import { useFormat } from '../../ui/format/use-format.ts';
import { PreferenceOwner } from '../../ui/table/preferences.ts';
import { contentWidth, drawerWidth, topBarHeight } from '../../ui/theme/design-tokens.ts';
import { CommandPalette } from '../command-palette/command-palette-triggers.tsx';
import { screenIcons } from '../screen-icons.ts';
import { type Screen, screenGroups, screenPath, screens } from '../screens.ts';
import { StepUpDialog } from '../session/lazy-step-up-dialog.tsx';
import { PanelTopBar } from './panel-top-bar.tsx';
import { SkipLink } from './skip-link.tsx';

const SecondFactorNotice = lazy(() =>
  import('../../features/accounts/second-factor/second-factor-notice.tsx').then(({ SecondFactorNotice }) => ({
    default: SecondFactorNotice,
  })),
);

const SessionEndedDialog = lazy(() =>
  import('../session/session-ended-dialog.tsx').then((module) => ({ default: module.SessionEndedDialog })),
);

const Tour = lazy(() => import('./tour.tsx').then((module) => ({ default: module.Tour })));

export function PanelLayout() {
  const { t } = useTranslation('shell');
  const wide = useMediaQuery((theme: Theme) => theme.breakpoints.up('md'));
  const [pinned, setPinned] = useStoredPreference('drawer', true, isBoolean);
  const pathname = usePathname();
  // Path at which the phone's drawer was opened; navigating to another path closes it.
  const [slidAt, setSlidAt] = useState<string>();
  const sliding = slidAt === pathname;
  const self = useCurrentUser();
  const hasEnded = useWaitsForSignIn();

  return (
    <PreferenceOwner value={String(self?.id ?? '')}>
      <SkipLink />
      <PanelTopBar
        onToggleDrawer={() => (wide ? setPinned(!pinned) : setSlidAt(pathname))}
        drawerOpen={wide ? pinned : sliding}
      />
      <Drawer
        variant={wide ? 'persistent' : 'temporary'}
        open={wide ? pinned : sliding}
        onClose={() => setSlidAt(undefined)}
        slotProps={{
          paper: {
            component: 'nav',
            'aria-label': t('navigation'),
            sx: {
              width: drawerWidth,
              top: wide ? topBarHeight.wide : 0,
              height: wide ? `calc(100% - ${topBarHeight.wide}px)` : '100%',
              bgcolor: 'background.default',
              border: 0,
            },
          },
        }}
      >
        <PanelDrawer />
      </Drawer>
      <Box
        component="main"
        id="content"
        tabIndex={-1}
        sx={{
          pt: { xs: `${topBarHeight.phone}px`, md: `${topBarHeight.wide}px` },
          pl: { xs: 0, md: pinned ? `${drawerWidth}px` : 0 },
          outline: 'none',
          // A screen that fills the window takes only the height below the elements above it.
          minHeight: '100dvh',
          display: 'flex',
          flexDirection: 'column',
        }}
      >
        <Box
          sx={{
            flex: 1,
            display: 'flex',
            flexDirection: 'column',
            width: '100%',
            maxWidth: contentWidth,
            mx: 'auto',
            px: { xs: 1.5, sm: 2, md: 3 },
            pb: 4,
            pt: { xs: 1, md: 0 },
          }}
        >
          {self !== null && self.role !== 'user' && (
            <Suspense fallback={null}>
              <SecondFactorNotice />
            </Suspense>
          )}
          <Suspense fallback={<ScreenSkeleton />}>
            <Outlet />
          </Suspense>
        </Box>
      </Box>
      <CommandPalette />
      <StepUpDialog />
      {hasEnded && (
        <Suspense fallback={null}>
          <SessionEndedDialog />
        </Suspense>
      )}
      <TourWhenAsked />
      <LeaveWhenSignedOut />
    </PreferenceOwner>
  );
}

function ScreenSkeleton() {
  return (
    <Box aria-hidden>
      <Skeleton width={180} height={36} sx={{ mb: 1.5 }} />
      <Skeleton variant="rounded" height={420} sx={{ borderRadius: 1.5 }} />
    </Box>
  );
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function TourWhenAsked() {
  const { tour } = useSearchParams();
  if (tour === undefined) return null;
  return (
    <Suspense fallback={null}>
      <Tour />
    </Suspense>
  );
}

function LeaveWhenSignedOut() {
  const { href } = useLocation();
  const signedIn = useCurrentUser() !== null;
  const navigate = useNavigate();
  useEffect(() => {
    // After leaving the panel, this frame stays mounted outside its path while the next page loads.
    if (signedIn || !href.startsWith('/panel')) return;
    void navigate({ to: paths.signIn, search: { next: href }, replace: true });
  }, [signedIn, href, navigate]);
  return null;
}

function PanelDrawer() {
  const { t } = useTranslation('shell');
  const self = useCurrentUser();
  const version = useSite()?.version ?? '';
  const shown = screens.filter((screen) => screenIcons[screen.title] !== undefined && mayAccess(self, screen.access));
  return (
    <Box
      data-tour="navigation"
      sx={{ display: 'flex', flexDirection: 'column', minHeight: '100%', px: 1.5, pt: { xs: 2, md: 0 }, pb: 2 }}
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
              sx={{ bgcolor: 'transparent', fontSize: '0.75rem', lineHeight: '24px', px: 1.5, color: 'text.secondary' }}
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

function UserCard() {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const self = useCurrentUser();
  const groupName = useGroupName();
  if (self === null) return null;
  const total = self.quota + self.used_quota;
  const used = total > 0 ? Math.min(1, Math.max(0, self.used_quota / total)) : 0;
  const name = self.display_name === '' ? self.username : self.display_name;
  return (
    <Box sx={{ p: 1.5, borderRadius: 1.5, border: 1, borderColor: 'divider', bgcolor: 'background.paper' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.25 }}>
        <UserAvatar name={name} url={self.avatar_url} isOwn={self.impersonation === null} />
        <Box sx={{ minWidth: 0 }}>
          <Typography sx={{ fontWeight: 500 }} noWrap>
            {name}
          </Typography>
          <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }} noWrap>
            {groupName(self.group)}
          </Typography>
        </Box>
      </Box>
      <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 1, mt: 1.25, fontVariantNumeric: 'tabular-nums' }}>
        <Typography sx={{ fontWeight: 600, color: self.quota < 0 ? 'error.main' : 'text.primary' }}>
          {format.points(self.quota)}
        </Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary', ml: 'auto' }}>
          {t('used', { amount: format.points(self.used_quota) })}
        </Typography>
      </Box>
      <LinearProgress
        variant="determinate"
        value={Math.round(used * 100)}
        color={used > 0.85 ? 'error' : used > 0.6 ? 'warning' : 'primary'}
        aria-label={t('usedShare', { share: format.percent(used) })}
        sx={{ height: 4, borderRadius: 1, mt: 0.75, bgcolor: 'neutral.soft' }}
      />
    </Box>
  );
}
