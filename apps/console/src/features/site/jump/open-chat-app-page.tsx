import Button from '@mui/material/Button';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { openApp, urlSchemeOf } from '../../../ui/browser/open-url.ts';
import { LinkButton } from '../../../ui/display/link.tsx';
import { MessagePanel } from '../../../ui/feedback/message-panel.tsx';
import { useSearchParams } from '../../../ui/filters/search-params.ts';

/**
 * Opens a chat app on this device: `/jump#opencat://…` or `/jump?url=`. The URL may contain a key, so it is
 * removed from the address bar at once; the fragment is never sent to a server.
 */
export function OpenChatAppPage() {
  const { t } = useTranslation('jump');
  const { url } = useSearchParams();
  const [address] = useState(() => url ?? decoded(location.hash.slice(1)));
  const scheme = urlSchemeOf(address);
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname);
    if (scheme !== undefined) openApp(address);
  }, [address, scheme]);
  if (scheme === undefined) {
    return (
      <MessagePanel
        title={t('refusedTitle')}
        action={
          <LinkButton to="/" variant="outlined">
            {t('home')}
          </LinkButton>
        }
      >
        {t('refused')}
      </MessagePanel>
    );
  }
  return (
    <MessagePanel
      title={t('title', { app: scheme.slice(0, -1) })}
      action={
        <Button variant="contained" onClick={() => openApp(address)}>
          {t('open')}
        </Button>
      }
    >
      {t('text')}
    </MessagePanel>
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
