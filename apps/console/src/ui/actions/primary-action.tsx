import Button from '@mui/material/Button';
import Fab from '@mui/material/Fab';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import type { ReactNode } from 'react';

/** Renders a screen's only primary action beside the title; on phones at the bottom right. */
export function PrimaryAction({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  const phone = useMediaQuery((theme: Theme) => theme.breakpoints.down('md'));
  if (phone) {
    return (
      <Fab
        color="primary"
        aria-label={label}
        onClick={onClick}
        sx={{ position: 'fixed', bottom: 20, right: 20, zIndex: 'fab' }}
      >
        {icon}
      </Fab>
    );
  }
  return (
    <Button variant="contained" startIcon={icon} onClick={onClick}>
      {label}
    </Button>
  );
}
