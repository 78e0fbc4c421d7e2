import { useTranslation } from 'react-i18next';
import { LinkButton } from '../ui/link.tsx';
import { MessagePanel } from '../ui/message-panel.tsx';
import { Mono } from '../ui/mono.tsx';

export function NotAllowed({ path }: { path: string }) {
  const { t } = useTranslation('shell');
  return (
    <MessagePanel
      code="403"
      title={t('notAllowed.title')}
      action={
        <LinkButton to="/panel" variant="outlined">
          {t('notAllowed.action')}
        </LinkButton>
      }
    >
      {t('notAllowed.text')} <Mono>{path}</Mono>
    </MessagePanel>
  );
}
