import Button, { type ButtonProps } from '@mui/material/Button';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog, type ConfirmQuestion } from '../overlays/confirm-dialog.tsx';

interface ConfirmButtonProps extends Omit<ButtonProps, 'onClick'> {
  question: ConfirmQuestion;
  onConfirm: () => Promise<unknown> | void;
  children: ReactNode;
}

/** Asks before what cannot be undone. */
export function ConfirmButton({ question, onConfirm, children, ...button }: ConfirmButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button color="error" {...button} onClick={() => setOpen(true)}>
        {children}
      </Button>
      <ConfirmDialog open={open} question={question} onConfirm={onConfirm} onClose={() => setOpen(false)} />
    </>
  );
}
