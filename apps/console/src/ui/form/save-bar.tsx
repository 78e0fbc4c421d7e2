import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Slide from '@mui/material/Slide';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface SaveBarProps {
  dirty: boolean;
  saving: boolean;
  /** Prevents saving because the form's content is invalid. */
  unreadable?: boolean;
  /** Summary of the unsaved changes, when more than their existence can be said. */
  summary?: ReactNode;
  onDiscard: () => void;
}

/** Sticks to the bottom while something is changed. */
export function SaveBar({ dirty, saving, unreadable = false, summary, onDiscard }: SaveBarProps) {
  const { t } = useTranslation();
  return (
    <Slide direction="up" in={dirty} mountOnEnter unmountOnExit>
      <Box
        sx={{
          position: 'sticky',
          bottom: 16,
          zIndex: 3,
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          px: 2,
          py: 1.25,
          borderRadius: 1.5,
          border: 1,
          borderColor: 'divider',
          bgcolor: 'background.raised',
          boxShadow: '0 8px 24px rgb(0 0 0 / 0.16)',
        }}
      >
        <Typography variant="body2" sx={{ flexGrow: 1, color: 'text.secondary' }}>
          {summary ?? t('form.unsaved')}
        </Typography>
        <Button onClick={onDiscard} color="inherit">
          {t('form.discard')}
        </Button>
        <Button type="submit" variant="contained" loading={saving} disabled={unreadable}>
          {t('save')}
        </Button>
      </Box>
    </Slide>
  );
}
