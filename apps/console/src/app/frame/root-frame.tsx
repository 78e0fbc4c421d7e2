import Box from '@mui/material/Box';
import { keyframes } from '@mui/material/styles';
import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrentUser } from '../../features/accounts/session/queries.ts';
import { useSystemName } from '../../features/site/site/queries.ts';

const ImpersonationBanner = lazy(() =>
  import('../../features/accounts/impersonation/impersonation-banner.tsx').then(({ ImpersonationBanner }) => ({
    default: ImpersonationBanner,
  })),
);

/** Renders the parts that every page shares: document title, loading bar and impersonation banner. */
export function RootFrame() {
  useDocumentTitle();
  const self = useCurrentUser();
  const impersonation = self?.impersonation ?? null;
  return (
    <>
      <Loading />
      <Suspense fallback={null}>
        <Outlet />
      </Suspense>
      {self !== null && impersonation !== null && (
        <Suspense fallback={null}>
          <ImpersonationBanner self={self} impersonation={impersonation} />
        </Suspense>
      )}
    </>
  );
}

function Loading() {
  const loading = useRouterState({ select: (state) => state.status === 'pending' });
  return loading ? <ProgressLine /> : null;
}

function useDocumentTitle() {
  const { t } = useTranslation('shell');
  const name = useSystemName();
  const key = useMatches({
    select: (matches) => {
      const data = matches.at(-1)?.staticData;
      return data?.screen?.title ?? data?.title;
    },
  });
  const title = key === undefined || key === 'home' ? name : `${t(`screen.${key}`)} · ${name}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

const slide = keyframes({ from: { transform: 'translateX(-100%)' }, to: { transform: 'translateX(350%)' } });

/** Shows a progress line at the top while a screen is loading. */
function ProgressLine() {
  return (
    <Box aria-hidden sx={{ position: 'fixed', inset: '0 0 auto', height: 2, zIndex: 'tooltip', overflow: 'hidden' }}>
      <Box sx={{ width: '30%', height: 2, bgcolor: 'primary.main', animation: `${slide} 1.1s linear infinite` }} />
    </Box>
  );
}
