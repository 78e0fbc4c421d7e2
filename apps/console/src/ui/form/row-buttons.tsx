/** Buttons of fields with rows, which add a row and remove one. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { IconPlus, IconX } from '@tabler/icons-react';

export function AddRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      size="small"
      variant="outlined"
      color="inherit"
      startIcon={<IconPlus size={15} />}
      onClick={onClick}
      sx={{ justifySelf: 'start' }}
    >
      {label}
    </Button>
  );
}

/** @param label names the row for screen readers */
export function RemoveRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <IconButton onClick={onClick} aria-label={label}>
      <IconX size={16} />
    </IconButton>
  );
}
