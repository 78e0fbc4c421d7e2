import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { LeaveConfirmation } from '../overlays/confirm-dialog.tsx';
import { useReportUnsavedInput, useTrackUnsavedInput } from '../overlays/unsaved-input.ts';
import type { ContractForm } from './use-contract-form.ts';

/** Renders a form in a dialog, a drawer or a public page; its buttons are among the children. */
export function Form<Values extends FieldValues>({
  form,
  children,
}: {
  form: ContractForm<Values>;
  children: ReactNode;
}) {
  const { isDirty, isSubmitting } = form.form.formState;
  useReportUnsavedInput(isDirty && !isSubmitting);
  useTrackUnsavedInput(isDirty);
  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void form.submit();
      }}
      sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2 }}
    >
      {children}
    </Box>
  );
}

interface FormButtonsProps {
  saving: boolean;
  /** Label of the submit button, for a form that performs an action instead of saving. */
  verb?: string;
  danger?: boolean;
  onCancel: () => void;
}

/** Renders the cancel and submit buttons of a form in a drawer or dialog. */
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

/** Asks before leaving the screen or closing the tab would lose unsaved changes. */
export function UnsavedGuard({ dirty }: { dirty: boolean }) {
  useTrackUnsavedInput(dirty);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return (
    <LeaveConfirmation
      open={blocker.status === 'blocked'}
      onLeave={() => blocker.proceed?.()}
      onStay={() => blocker.reset?.()}
    />
  );
}
