import { useTranslation } from 'react-i18next';
import { LinkButton } from '../ui/display/link.tsx';
import { MessagePanel } from '../ui/feedback/message-panel.tsx';

export function NotFound() {
  const { t } = useTranslation('shell');
  return (
    <MessagePanel
      code="404"
      title={t('notFound.title')}
      action={
        <LinkButton to="/" variant="outlined">
          {t('notFound.action')}
        </LinkButton>
      }
    >
      {t('notFound.text')}
    </MessagePanel>
  );
}
