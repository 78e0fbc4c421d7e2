import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import type { Language } from '../../i18n/languages.ts';
import { loadMuiLocale } from '../../i18n/mui-locale.ts';
import { useLanguage } from '../../i18n/use-language.ts';
import { ToastStack } from '../../ui/feedback/toast-stack.tsx';
import { createAppTheme } from '../../ui/theme/theme.ts';
import { SiteWatch } from '../server-down-and-update-notice.tsx';

/** Provides the theme in the user's language, the server watch and the toasts around the router. */
export function AppProviders({ children }: { children: ReactNode }) {
  const language = useLanguage();
  const localeText = useMuiLocale(language);
  const theme = useMemo(() => createAppTheme(language, localeText), [language, localeText]);
  return (
    <ThemeProvider theme={theme} modeStorageKey="theme" defaultMode="system" noSsr>
      <CssBaseline />
      <Suspense fallback={null}>
        <SiteWatch>{children}</SiteWatch>
        <ToastStack />
      </Suspense>
    </ThemeProvider>
  );
}

const noText = {};

function useMuiLocale(language: Language): object {
  const [text, setText] = useState<object>(noText);
  useEffect(() => {
    let current = true;
    void loadMuiLocale(language).then((loaded) => {
      if (current) setText(loaded);
    });
    return () => {
      current = false;
    };
  }, [language]);
  return text;
}
