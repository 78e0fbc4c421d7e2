import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useDeferredValue, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { UnsavedGuard } from '../form/form.tsx';
import { PrintStyles } from '../layout/print-styles.tsx';
import { LeaveConfirmation } from './confirm-dialog.tsx';
import { UnsavedReport } from './unsaved-input.ts';

interface DetailDrawerProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  width?: number;
}

/** Shows a record or a form beside the list. Closing it asks first if a form in it has unsaved changes. */
export function DetailDrawer({ open, onClose, title, actions, children, width = 520 }: DetailDrawerProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const [unsaved, setUnsaved] = useState(false);
  const [asking, setAsking] = useState(false);
  // The drawer opens at once; its content renders afterwards with lower priority.
  const arrived = useDeferredValue(open);
  const close = () => (unsaved ? setAsking(true) : onClose());
  return (
    <Drawer
      anchor="right"
      open={open}
      onClose={close}
      slotProps={{
        paper: {
          role: 'dialog',
          'aria-labelledby': titleId,
          ...(open ? { 'data-paper': '' } : {}),
          sx: { width: { xs: '100%', sm: width }, bgcolor: 'background.paper', borderLeft: 1, borderColor: 'divider' },
        },
      }}
    >
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          px: 2.5,
          py: 1.5,
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        <Typography
          id={titleId}
          variant="h2"
          component="h2"
          sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere' }}
        >
          {title}
        </Typography>
        {actions}
        <IconButton onClick={close} aria-label={t('close')} edge="end">
          <IconX size={20} />
        </IconButton>
      </Box>
      <Box sx={{ p: 2.5, overflowY: 'auto', flexGrow: 1 }}>
        <UnsavedReport value={setUnsaved}>{open && arrived && children}</UnsavedReport>
      </Box>
      {open && <PrintStyles />}
      <UnsavedGuard dirty={unsaved} />
      <LeaveConfirmation open={asking} onLeave={onClose} onStay={() => setAsking(false)} />
    </Drawer>
  );
}
