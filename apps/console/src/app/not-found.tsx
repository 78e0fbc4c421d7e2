import { useTranslation } from 'react-i18next';
import { LinkButton } from '../ui/link.tsx';
import { MessageScreen } from './message-screen.tsx';

export function NotFound() {
  const { t } = useTranslation('shell');
  return (
    <MessageScreen
      code="404"
      title={t('notFound.title')}
      action={
        <LinkButton to="/" variant="outlined">
          {t('notFound.action')}
        </LinkButton>
      }
    >
      {t('notFound.text')}
    </MessageScreen>
  );
}
