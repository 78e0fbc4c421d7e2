import { useTranslation } from 'react-i18next';
import { LinkButton } from '../ui/display/link.tsx';
import { Mono } from '../ui/display/mono.tsx';
import { MessagePanel } from '../ui/feedback/message-panel.tsx';

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
