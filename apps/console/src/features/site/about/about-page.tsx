import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CustomPage } from '../../../ui/layout/custom-page.tsx';
import { aboutQuery, useSystemName } from '../site/queries.ts';

export function AboutPage() {
  const { t } = useTranslation('about');
  const name = useSystemName();
  const custom = useQuery(aboutQuery);
  if (custom.isPending) return null;
  if (custom.data !== undefined && custom.data.trim() !== '')
    return <CustomPage page="about" content={custom.data} title={t('title')} />;
  return (
    <Box sx={{ width: '100%', maxWidth: 720, mx: 'auto', px: 2, py: 4 }}>
      <Typography variant="h1" sx={{ mb: 2 }}>
        {t('title')}
      </Typography>
      <Typography>{t('text', { name })}</Typography>
    </Box>
  );
}
