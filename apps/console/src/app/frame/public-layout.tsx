import Box from '@mui/material/Box';
import { Outlet } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useCurrentUser } from '../../features/accounts/session/queries.ts';
import { useSite } from '../../features/site/site/queries.ts';
import { paths } from '../../paths.ts';
import { usePathname } from '../../ui/browser/use-pathname.ts';
import { LinkButton } from '../../ui/display/link.tsx';
import { contentWidth, topBarHeight } from '../../ui/theme/design-tokens.ts';
import { LanguageMenu, ThemeMenu } from './language-and-theme-menus.tsx';
import { SiteLogo } from './site-logo.tsx';
import { SkipLink } from './skip-link.tsx';

const Markdown = lazy(() => import('../../ui/markdown/markdown.tsx').then(({ Markdown }) => ({ default: Markdown })));

export function PublicLayout({ children }: { children?: ReactNode }) {
  const { t } = useTranslation('shell');
  const signedIn = useCurrentUser() !== null;
  const pathname = usePathname();
  const alreadyThere = pathname === paths.signIn || pathname === paths.setUp;
  const site = useSite();
  const footer = site?.footer_html ?? '';
  return (
    <Box sx={{ minHeight: '100%', display: 'flex', flexDirection: 'column' }}>
      <SkipLink />
      <Box
        component="header"
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: { xs: 0, sm: 0.5 },
          width: '100%',
          maxWidth: contentWidth,
          mx: 'auto',
          px: { xs: 1.5, md: 3 },
          height: { xs: topBarHeight.phone, md: topBarHeight.wide },
          flexShrink: 0,
        }}
      >
        <SiteLogo />
        <Box sx={{ flexGrow: 1 }} />
        <LinkButton to={paths.publicModels} color="inherit" sx={{ display: { xs: 'none', sm: 'inline-flex' } }}>
          {t('screen.models')}
        </LinkButton>
        {site?.status_page === true && (
          <LinkButton to={paths.status} color="inherit" sx={{ display: { xs: 'none', sm: 'inline-flex' } }}>
            {t('screen.status')}
          </LinkButton>
        )}
        <LinkButton to={paths.about} color="inherit" sx={{ display: { xs: 'none', sm: 'inline-flex' } }}>
          {t('screen.about')}
        </LinkButton>
        <ThemeMenu />
        <LanguageMenu />
        {!alreadyThere && (
          <LinkButton to={signedIn ? '/panel' : paths.signIn} variant="contained" sx={{ ml: 1 }}>
            {t(signedIn ? 'console' : 'screen.signIn')}
          </LinkButton>
        )}
      </Box>
      <Box
        component="main"
        id="content"
        tabIndex={-1}
        sx={{ flexGrow: 1, display: 'flex', flexDirection: 'column', outline: 'none' }}
      >
        <Suspense fallback={null}>{children ?? <Outlet />}</Suspense>
      </Box>
      {footer !== '' && (
        <Box component="footer" sx={{ p: 3, textAlign: 'center', fontSize: '0.8125rem', color: 'text.secondary' }}>
          <Suspense fallback={null}>
            <Markdown text={footer} pictures />
          </Suspense>
        </Box>
      )}
    </Box>
  );
}
