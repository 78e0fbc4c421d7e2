import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { render } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { type ReactNode, Suspense } from 'react';
import { AppProviders } from '../app/frame/app-providers.tsx';
import { createAppRouter } from '../app/router.tsx';
import { StepUpDialog } from '../app/session/lazy-step-up-dialog.tsx';
import { createQueryClient } from '../query-client.ts';
import { textSearchParams } from '../ui/filters/search-params.ts';

/** One style element, as in production: jsdom sorts each additional one into its list of style sheets. */
const styles = createCache({ key: 'sy', speedy: true });

/** Renders one part at a URL with the app's providers around it. */
export function show(part: ReactNode, address = '/') {
  const root = createRootRoute({
    component: () => (
      <Suspense fallback={null}>
        <Outlet />
        <StepUpDialog />
      </Suspense>
    ),
  });
  const anywhere = createRoute({ getParentRoute: () => root, path: '$', component: () => part });
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree: root.addChildren([anywhere]), history, ...textSearchParams });
  const queryClient = createQueryClient();
  renderFramed(queryClient, <RouterProvider router={router} />);
  return { user: userEvent.setup(), search: () => router.state.location.search, history, queryClient };
}

/** Renders the whole console at a URL. */
export function showApp(address: string) {
  const queryClient = createQueryClient();
  const router = createAppRouter(queryClient, createMemoryHistory({ initialEntries: [address] }));
  renderFramed(queryClient, <RouterProvider router={router} />);
  return { user: userEvent.setup(), router, queryClient };
}

function renderFramed(queryClient: QueryClient, routed: ReactNode) {
  render(
    <CacheProvider value={styles}>
      <QueryClientProvider client={queryClient}>
        <AppProviders>{routed}</AppProviders>
      </QueryClientProvider>
    </CacheProvider>,
  );
}
