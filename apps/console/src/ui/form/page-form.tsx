import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Slide from '@mui/material/Slide';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form, UnsavedGuard } from './form.tsx';
import type { ContractForm } from './use-contract-form.ts';

/** Renders a form as a page: with a save bar while it has changes, and a question before leaving. */
export function PageForm<Values extends FieldValues>({
  form,
  summary,
  unreadable = false,
  onDiscard,
  children,
}: {
  form: ContractForm<Values>;
  /** Summary of the unsaved changes for the save bar. */
  summary?: ReactNode;
  /** True if the form contains invalid text, which can be discarded but not saved. */
  unreadable?: boolean;
  /** Callback that replaces the reset of the form. */
  onDiscard?: () => void;
  children: ReactNode;
}) {
  const { isDirty, isSubmitting } = form.form.formState;
  const dirty = isDirty || unreadable;
  return (
    <Form form={unreadable ? { ...form, submit: async () => {} } : form}>
      {children}
      <SaveBar
        dirty={dirty}
        saving={isSubmitting}
        unreadable={unreadable}
        summary={summary}
        onDiscard={onDiscard ?? (() => form.form.reset())}
      />
      <UnsavedGuard dirty={dirty && !isSubmitting} />
    </Form>
  );
}

interface SaveBarProps {
  dirty: boolean;
  saving: boolean;
  /** True if invalid content prevents saving. */
  unreadable?: boolean;
  /** Summary of the unsaved changes instead of the general text. */
  summary?: ReactNode;
  onDiscard: () => void;
}

/** Sticks to the bottom while the form has changes. */
function SaveBar({ dirty, saving, unreadable = false, summary, onDiscard }: SaveBarProps) {
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
