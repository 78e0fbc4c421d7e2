import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSelf } from '../../features/accounts/session/queries.ts';
import { useWaitsForSignIn } from '../../features/accounts/session/session-end.ts';
import { paths } from '../../paths.ts';
import { useStored } from '../../ui/browser/stored.ts';
import { usePathname } from '../../ui/browser/use-pathname.ts';
import { useSearchParams } from '../../ui/filters/search-params.ts';
import { PreferenceOwner } from '../../ui/table/preferences.ts';
import { contentWidth, drawerWidth, topBarHeight } from '../../ui/theme/tokens.ts';
import { CommandPalette } from '../palette/command-palette.tsx';
import { ScreenSkeleton } from '../screen-skeleton.tsx';
import { StepUpDialog } from '../session/step-up-dialog.tsx';
import { PanelDrawer } from './panel-drawer.tsx';
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

/** The signed-in frame: top bar, drawer, screen. */
export function PanelLayout() {
  const { t } = useTranslation('shell');
  const wide = useMediaQuery((theme: Theme) => theme.breakpoints.up('md'));
  const [pinned, setPinned] = useStored('drawer', true, isBoolean);
  const pathname = usePathname();
  // On a phone the drawer closes with the next screen: it is open only where it was opened.
  const [slidAt, setSlidAt] = useState<string>();
  const sliding = slidAt === pathname;
  const self = useSelf();
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
          // A screen that fills the window does so below whatever stands above it.
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
  const signedIn = useSelf() !== null;
  const navigate = useNavigate();
  useEffect(() => {
    // While the way out is being loaded, the address is no longer the panel's and this frame still stands.
    if (signedIn || !href.startsWith('/panel')) return;
    void navigate({ to: paths.signIn, search: { next: href }, replace: true });
  }, [signedIn, href, navigate]);
  return null;
}
