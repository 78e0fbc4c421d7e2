import { useTranslation } from 'react-i18next';
import { LinkButton } from '../ui/link.tsx';
import { Mono } from '../ui/mono.tsx';
import { MessageScreen } from './message-screen.tsx';

export function NotAllowed({ path }: { path: string }) {
  const { t } = useTranslation('shell');
  return (
    <MessageScreen
      code="403"
      title={t('notAllowed.title')}
      action={
        <LinkButton to="/panel" variant="outlined">
          {t('notAllowed.action')}
        </LinkButton>
      }
    >
      {t('notAllowed.text')} <Mono>{path}</Mono>
    </MessageScreen>
  );
}
