import './disable-zod-jit.ts';
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/roboto/wght.css';
import '@fontsource-variable/roboto-mono/wght.css';
import { onImpersonationEnd, onSignedOut } from './api.ts';
import { AppProviders } from './app/frame/app-providers.tsx';
import { createAppRouter } from './app/router.tsx';
import { endImpersonation } from './features/accounts/impersonation/queries.ts';
import { clearSession, keepUnsavedInput } from './features/accounts/session/queries.ts';
import { siteQuery, storedSite } from './features/site/site/queries.ts';
import { chooseLanguage, startI18n } from './i18n/i18n.ts';
import { createQueryClient } from './query-client.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
const styles = createCache({ key: 'sy', nonce });

const queryClient = createQueryClient();
const router = createAppRouter(queryClient);

onSignedOut(() => {
  if (keepUnsavedInput(queryClient)) return;
  clearSession(queryClient);
  void router.invalidate();
});

let comingBack = false;
onImpersonationEnd(() => {
  // Several calls may report the end at once.
  if (comingBack) return;
  comingBack = true;
  void endImpersonation().catch(() => {
    comingBack = false;
  });
});

const site = storedSite() ?? (await queryClient.ensureQueryData(siteQuery).catch(() => undefined));
await startI18n(chooseLanguage(site?.language));

const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no #root');
createRoot(place).render(
  <StrictMode>
    <CacheProvider value={styles}>
      <QueryClientProvider client={queryClient}>
        <AppProviders>
          <RouterProvider router={router} />
        </AppProviders>
      </QueryClientProvider>
    </CacheProvider>
  </StrictMode>,
);
