import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';

interface FormButtonsProps {
  saving: boolean;
  /** Label of the submit button, for a form that performs an action instead of saving. */
  verb?: string;
  danger?: boolean;
  onCancel: () => void;
}

/** The two ways out of a form in a drawer or dialog. */
export function FormButtons({ saving, verb, danger = false, onCancel }: FormButtonsProps) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end' }}>
      <Button onClick={onCancel} color="inherit">
        {t('cancel')}
      </Button>
      <Button type="submit" variant="contained" color={danger ? 'error' : 'primary'} loading={saving}>
        {verb ?? t('save')}
      </Button>
    </Box>
  );
}
