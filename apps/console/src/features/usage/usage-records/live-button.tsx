import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';

/** Reads the newest records every two seconds while the screen is visible. */
export function LiveButton({ live, onChange }: { live: boolean; onChange: (live: boolean) => void }) {
  const { t } = useTranslation('usage-records');
  return (
    <Button
      variant="outlined"
      color="inherit"
      aria-pressed={live}
      onClick={() => onChange(!live)}
      startIcon={
        <Box
          component="span"
          sx={{
            width: 8,
            height: 8,
            borderRadius: '50%',
            bgcolor: live ? 'success.main' : 'text.disabled',
            '@keyframes pulse': { '50%': { opacity: 0.35 } },
            animation: live ? 'pulse 2s ease-out infinite' : 'none',
          }}
        />
      }
    >
      {t('live')}
    </Button>
  );
}
