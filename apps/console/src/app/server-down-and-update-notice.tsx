import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { siteQuery, storedSite } from '../features/site/site/queries.ts';
import { notify } from '../ui/feedback/toasts.ts';

/** Reports when the server is unreachable, and when it was updated while the page was open. */
export function SiteWatch({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { data: site, isError, isFetching, refetch } = useQuery(siteQuery);
  const firstVersion = useRef<string>(undefined);

  useEffect(() => {
    const version = site?.version ?? '';
    if (version === '' || version === 'v0.0.0') return;
    if (firstVersion.current !== undefined && firstVersion.current !== version) {
      notify('info', t('newVersion', { version }));
    }
    firstVersion.current = version;
  }, [site?.version, t]);

  useEffect(() => {
    if (isError && storedSite() !== undefined) notify('error', t('cannotConnect'));
  }, [isError, t]);

  if (!isError || storedSite() !== undefined) return children;
  return (
    <Box sx={{ display: 'grid', placeContent: 'center', justifyItems: 'center', gap: 2, minHeight: '100vh', p: 3 }}>
      <Typography variant="h1">{t('cannotConnect')}</Typography>
      <Button variant="contained" loading={isFetching} onClick={() => void refetch()}>
        {t('retry')}
      </Button>
    </Box>
  );
}
