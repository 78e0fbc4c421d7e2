import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';

/** The two ways out of a form in a drawer. */
export function FormButtons({ saving, onCancel }: { saving: boolean; onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end' }}>
      <Button onClick={onCancel} color="inherit">
        {t('cancel')}
      </Button>
      <Button type="submit" variant="contained" loading={saving}>
        {t('save')}
      </Button>
    </Box>
  );
}
