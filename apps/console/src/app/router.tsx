import Box from '@mui/material/Box';
import type { QueryClient } from '@tanstack/react-query';
import {
  createBrowserHistory,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  type RouterHistory,
  redirect,
  useRouter,
} from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { oauthCallbackRoutes } from '../features/accounts/identities/oauth-callback-routes.tsx';
import { currentUserQuery, useHasAccess } from '../features/accounts/session/queries.ts';
import { siteQuery } from '../features/site/site/queries.ts';
import { paths } from '../paths.ts';
import { usePathname } from '../ui/browser/use-pathname.ts';
import { LinkButton } from '../ui/display/link.tsx';
import { Mono } from '../ui/display/monospace-text.tsx';
import { ErrorBoundary, FailedScreen } from '../ui/feedback/error-boundary.tsx';
import { MessagePanel } from '../ui/feedback/message-panel.tsx';
import { textSearchParams } from '../ui/filters/search-params.ts';
import { PublicLayout } from './frame/public-layout.tsx';
import { RootFrame } from './frame/root-frame.tsx';
import { NotFound } from './not-found.tsx';
import { type Screen, screenPath, screens } from './screens.ts';

interface RouterContext {
  queryClient: QueryClient;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    screen?: Screen;
    title?: 'home' | 'about' | 'models' | 'status' | 'jump' | 'signIn' | 'signUp' | 'reset' | 'setUp' | 'gallery';
  }
}

const root = createRootRouteWithContext<RouterContext>()({
  component: RootFrame,
  notFoundComponent: () => (
    <PublicLayout>
      <NotFound />
    </PublicLayout>
  ),
});

const publicLayout = createRoute({ getParentRoute: () => root, id: 'public', component: PublicLayout });

const home = createRoute({
  getParentRoute: () => publicLayout,
  path: '/',
  staticData: { title: 'home' },
  component: lazyRouteComponent(() => import('../features/site/home/home-page.tsx'), 'HomePage'),
});

const about = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.about,
  staticData: { title: 'about' },
  component: lazyRouteComponent(() => import('../features/site/about/about-page.tsx'), 'AboutPage'),
});

const publicModels = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.publicModels,
  staticData: { title: 'models' },
  component: lazyRouteComponent(() => import('../features/catalog/models/public-models-page.tsx'), 'PublicModelsPage'),
});

const status = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.status,
  staticData: { title: 'status' },
  component: lazyRouteComponent(() => import('../features/operations/status-page/status-page.tsx'), 'StatusPage'),
});

const jump = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.jump,
  staticData: { title: 'jump' },
  component: lazyRouteComponent(() => import('../features/site/jump/open-chat-app-page.tsx'), 'OpenChatAppPage'),
});

const signIn = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.signIn,
  staticData: { title: 'signIn' },
  beforeLoad: async ({ context }) => {
    const site = await context.queryClient.ensureQueryData(siteQuery).catch(() => undefined);
    if (site?.set_up_needed === true) throw redirect({ to: paths.setUp });
  },
  component: lazyRouteComponent(() => import('./session/sign-in-page.tsx'), 'SignInPage'),
});

const register = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.register,
  staticData: { title: 'signUp' },
  component: lazyRouteComponent(() => import('../features/accounts/sign-up/sign-up-page.tsx'), 'RegisterPage'),
});

const askReset = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.askReset,
  staticData: { title: 'reset' },
  component: lazyRouteComponent(
    () => import('../features/accounts/sign-up/password-reset-pages.tsx'),
    'RequestResetPage',
  ),
});

const reset = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.reset,
  staticData: { title: 'reset' },
  component: lazyRouteComponent(() => import('../features/accounts/sign-up/password-reset-pages.tsx'), 'ResetPage'),
});

const setUp = createRoute({
  getParentRoute: () => publicLayout,
  path: paths.setUp,
  staticData: { title: 'setUp' },
  component: lazyRouteComponent(() => import('../features/accounts/set-up/set-up-page.tsx'), 'SetUpPage'),
});

const thirdPartyReturns = oauthCallbackRoutes.map(({ path, component }) =>
  createRoute({ getParentRoute: () => publicLayout, path, staticData: { title: 'signIn' }, component }),
);

const panel = createRoute({
  getParentRoute: () => root,
  path: '/panel',
  beforeLoad: async ({ context, location }) => {
    const self = await context.queryClient.ensureQueryData(currentUserQuery);
    if (self === null) throw redirect({ to: paths.signIn, search: { next: location.href } });
  },
  component: lazyRouteComponent(() => import('./frame/panel-layout-and-drawer.tsx'), 'PanelLayout'),
  notFoundComponent: NotFound,
});

/** Redirect for old links. Signed-out visitors reach the playground after they sign in. */
const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  beforeLoad: ({ location }) => {
    throw redirect({ to: paths.playground, search: location.search, replace: true });
  },
});

const panelHome = createRoute({
  getParentRoute: () => panel,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: panelStart() });
  },
});

/** Redirect for One Hub's user statistics, which are a part of our analytics screen. */
const userStatistics = createRoute({
  getParentRoute: () => panel,
  path: 'multi_user_stats',
  beforeLoad: () => {
    throw redirect({ to: paths.analytics, search: { split: 'user' } });
  },
});

const panelScreens = screens.map((screen) =>
  createRoute({ getParentRoute: () => panel, path: screen.path, staticData: { screen }, component: guarded(screen) }),
);

/** Returns the path of the dashboard, or of the first screen. */
function panelStart(): string {
  const start = screens.find(({ path }) => path === 'dashboard') ?? screens[0];
  return start === undefined ? paths.home : `/panel/${start.path}`;
}

// The gallery exists only in development; the build leaves it out.
const gallery = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/gallery',
        staticData: { title: 'gallery' },
        component: lazyRouteComponent(() => import('./gallery/component-gallery.tsx'), 'ComponentGallery'),
      }),
    ]
  : [];

const tree = root.addChildren([
  publicLayout.addChildren([
    home,
    about,
    publicModels,
    status,
    jump,
    signIn,
    register,
    askReset,
    reset,
    setUp,
    ...thirdPartyReturns,
  ]),
  playground,
  panel.addChildren([panelHome, userStatistics, ...panelScreens]),
  ...gallery,
]);

export function createAppRouter(queryClient: QueryClient, history: RouterHistory = createBrowserHistory()) {
  return createRouter({
    routeTree: tree,
    history,
    context: { queryClient },
    ...textSearchParams,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: ScreenError,
  });
}

/** Shows why a route failed to load. Retrying calls the server again instead of only rendering again. */
function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => void router.invalidate().then(reset);
  return (
    <Box sx={{ p: 3, width: '100%', maxWidth: 720, mx: 'auto' }}>
      <FailedScreen error={error} onRetry={retry} />
    </Box>
  );
}

/** Wraps a screen so that users without access to it see the 403 screen. */
export function guarded(screen: Screen): Screen['component'] {
  const Content = screen.component;
  const Guarded = () => {
    const allowed = useHasAccess(screen.access);
    const pathname = usePathname();
    if (!allowed) return <NotAllowed path={screenPath(screen)} />;
    return (
      <ErrorBoundary resetKey={pathname}>
        <Content />
      </ErrorBoundary>
    );
  };
  return Object.assign(Guarded, { preload: () => Content.preload?.() });
}

function NotAllowed({ path }: { path: string }) {
  const { t } = useTranslation('shell');
  return (
    <MessagePanel
      code="403"
      title={t('notAllowed.title')}
      action={
        <LinkButton to="/panel" variant="outlined">
          {t('notAllowed.action')}
        </LinkButton>
      }
    >
      {t('notAllowed.text')} <Mono>{path}</Mono>
    </MessagePanel>
  );
}
