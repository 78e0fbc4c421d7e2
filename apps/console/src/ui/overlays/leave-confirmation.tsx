import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface LeaveQuestionProps {
  open: boolean;
  onLeave: () => void;
  onStay: () => void;
}

/** Asks before unsaved changes are lost. */
export function LeaveConfirmation({ open, onLeave, onStay }: LeaveQuestionProps) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      open={open}
      question={{ title: t('form.leaveTitle'), text: t('form.leaveText'), verb: t('form.leave') }}
      onConfirm={onLeave}
      onClose={onStay}
    />
  );
}
