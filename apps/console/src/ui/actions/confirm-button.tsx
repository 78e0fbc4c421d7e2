import Button, { type ButtonProps } from '@mui/material/Button';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog, type ConfirmQuestion } from '../overlays/confirm-dialog.tsx';

interface ConfirmButtonProps extends Omit<ButtonProps, 'onClick'> {
  question: ConfirmQuestion;
  onConfirm: () => Promise<unknown> | void;
  children: ReactNode;
}

/** Asks for a confirmation before an action that cannot be undone. */
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

/** From this number of rows on, the user types the number to confirm. */
const TYPED_FROM = 2;

interface BulkDeleteProps {
  count: number;
  title: string;
  text: string;
  onConfirm: () => Promise<unknown>;
}

/** Deletes the selected rows after a confirmation. */
export function BulkDelete({ count, title, text, onConfirm }: BulkDeleteProps) {
  const { t } = useTranslation();
  const verb = t('delete');
  return (
    <ConfirmButton
      size="small"
      variant="outlined"
      question={{ title, text, verb, typed: count < TYPED_FROM ? undefined : String(count) }}
      onConfirm={onConfirm}
    >
      {verb}
    </ConfirmButton>
  );
}
