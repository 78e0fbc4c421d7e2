import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';

interface DialogFormButtonsProps {
  verb: string;
  saving: boolean;
  danger?: boolean;
  onCancel: () => void;
}

/** The two ways out of a form that does something rather than saves. */
export function DialogFormButtons({ verb, saving, danger = false, onCancel }: DialogFormButtonsProps) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end' }}>
      <Button onClick={onCancel} color="inherit">
        {t('cancel')}
      </Button>
      <Button type="submit" variant="contained" color={danger ? 'error' : 'primary'} loading={saving}>
        {verb}
      </Button>
    </Box>
  );
}
