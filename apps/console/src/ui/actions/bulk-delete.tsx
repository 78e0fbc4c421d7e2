import { useTranslation } from 'react-i18next';
import { ConfirmButton } from './confirm-button.tsx';

/** Several at once is typed out; one is asked for. */
const TYPED_FROM = 2;

interface BulkDeleteProps {
  count: number;
  title: string;
  text: string;
  onConfirm: () => Promise<unknown>;
}

/** Deletes the selected rows, after a question. */
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
