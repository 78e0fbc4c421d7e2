import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSystemName } from '../features/site/queries.ts';
import { ProgressLine } from '../ui/progress-line.tsx';

/** What every screen has: its title in the tab and the bar that shows a screen is on its way. */
export function RootFrame() {
  useDocumentTitle();
  const loading = useRouterState({ select: (state) => state.status === 'pending' });
  return (
    <>
      {loading && <ProgressLine />}
      <Suspense fallback={null}>
        <Outlet />
      </Suspense>
    </>
  );
}

function useDocumentTitle() {
  const { t } = useTranslation('shell');
  const name = useSystemName();
  const data = useMatches().at(-1)?.staticData;
  const key = data?.screen?.title ?? data?.title;
  const title = key === undefined || key === 'home' ? name : `${t(`screen.${key}`)} · ${name}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
