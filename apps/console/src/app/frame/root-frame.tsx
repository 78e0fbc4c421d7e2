import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrentUser } from '../../features/accounts/session/queries.ts';
import { useSystemName } from '../../features/site/site/queries.ts';
import { ProgressLine } from '../../ui/display/progress-line.tsx';

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
