import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ApiKey } from '@switchyard/contract/accounts/api-keys';
import { IconCopy, IconExternalLink, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';
import { openOutside } from '../../../ui/markdown/open-outside.ts';
import { clientSnippets } from '../../../ui/product/client-snippets.ts';
import { SnippetTabs } from '../../../ui/product/snippet-tabs.tsx';
import { useServerAddress, useSite } from '../../site/site/queries.ts';
import { type ChatLink, chatLinkUrl, parseChatLinks } from './chat-links.ts';
import { useExampleModel } from './use-example-model.ts';
import { useSecretKey } from './use-secret-key.ts';

/** The key itself, on demand, and the ways to use it: snippets and the chat clients the operator offers. */
export function ApiKeySecret({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useTranslation(['api-keys', 'common']);
  const { key, reveal, copy, hide } = useSecretKey(apiKey.id);
  const address = useServerAddress();
  const model = useExampleModel();
  const links = parseChatLinks(useSite()?.chat_links ?? '');

  const openChat = async (link: ChatLink) => {
    const revealed = await reveal();
    if (revealed !== undefined) openOutside(chatLinkUrl(link, revealed, address));
  };

  return (
    <>
      <Box sx={{ display: 'grid', gap: 1 }}>
        <Typography variant="h3">{t('key')}</Typography>
        <Box sx={{ overflowWrap: 'anywhere' }}>
          <Mono>{key ?? apiKey.key}</Mono>
        </Box>
        {apiKey.revealable ? (
          <KeyButtons shown={key !== undefined} onCopy={copy} onReveal={reveal} onHide={hide} />
        ) : (
          <Typography variant="body2" sx={{ color: 'text.secondary' }}>
            {t('shownOnce')}
          </Typography>
        )}
      </Box>
      {apiKey.revealable && links.length > 0 && (
        <Box sx={{ display: 'grid', gap: 1 }}>
          <Typography variant="h3">{t('chatClients')}</Typography>
          <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
            {links.map((link) => (
              <Button
                key={`${link.name} ${link.url}`}
                size="small"
                variant="outlined"
                color="inherit"
                endIcon={<IconExternalLink size={15} />}
                onClick={() => void openChat(link)}
              >
                {link.name}
              </Button>
            ))}
          </Box>
        </Box>
      )}
      <Box>
        <Typography variant="h3">{t('snippets')}</Typography>
        <SnippetTabs label={t('snippets')} snippets={clientSnippets(address, key ?? '$API_KEY', model)} />
      </Box>
    </>
  );
}

interface KeyButtonsProps {
  shown: boolean;
  onCopy: () => Promise<void>;
  onReveal: () => Promise<unknown>;
  onHide: () => void;
}

function KeyButtons({ shown, onCopy, onReveal, onHide }: KeyButtonsProps) {
  const { t } = useTranslation(['api-keys', 'common']);
  return (
    <Box sx={{ display: 'flex', gap: 1 }}>
      <Button
        size="small"
        variant="outlined"
        color="inherit"
        startIcon={<IconCopy size={16} />}
        onClick={() => void onCopy()}
      >
        {t('copyKey')}
      </Button>
      <Button
        size="small"
        color="inherit"
        startIcon={shown ? <IconEyeOff size={16} /> : <IconEye size={16} />}
        onClick={() => (shown ? onHide() : void onReveal())}
      >
        {t(shown ? 'common:form.hide' : 'common:form.show')}
      </Button>
    </Box>
  );
}
