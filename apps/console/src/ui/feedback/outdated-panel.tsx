import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';

/** Needs nothing that would have to be loaded: loading is what failed. */
export function OutdatedPanel() {
  const { t } = useTranslation();
  return (
    <Box
      role="alert"
      sx={{
        display: 'grid',
        justifyItems: 'start',
        gap: 1,
        p: 2,
        borderRadius: 1,
        border: 1,
        borderColor: 'divider',
        bgcolor: 'background.raised',
      }}
    >
      <Typography variant="h2">{t('outdated.title')}</Typography>
      <Typography>{t('outdated.text')}</Typography>
      <Button variant="contained" onClick={() => location.reload()}>
        {t('outdated.reload')}
      </Button>
    </Box>
  );
}
