import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { appSchemes, openInNewTab } from '../../../ui/browser/open-url.ts';
import { useServerAddress, useSite } from '../../site/site/queries.ts';

/**
 * Shows a button for each of the operator's chat clients, which opens the client with the key.
 * @param reveal returns the key; undefined when it could not be revealed
 */
export function ChatClientLinks({ reveal }: { reveal: () => Promise<string | undefined> }) {
  const { t } = useTranslation('api-keys');
  const address = useServerAddress();
  const links = parseChatLinks(useSite()?.chat_links ?? '');

  const openChat = async (link: ChatLink) => {
    const revealed = await reveal();
    if (revealed !== undefined) openInNewTab(chatLinkUrl(link, revealed, address));
  };

  if (links.length === 0) return null;
  return (
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
  );
}

const chatLink = z.object({
  name: z.string(),
  url: z.string(),
  show: z.boolean().default(true),
  sort: z.number().default(0),
});
type ChatLink = z.output<typeof chatLink>;

/** URL schemes of web pages and chat apps. `javascript:` and similar schemes would run in this page. */
const schemes = ['https:', 'http:', ...appSchemes];

/** Returns the operator's visible chat clients in descending sort order; invalid entries are skipped. */
export function parseChatLinks(text: string): ChatLink[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const entries = z.array(z.unknown()).safeParse(value).data ?? [];
  return entries
    .flatMap((entry) => chatLink.safeParse(entry).data ?? [])
    .filter((link) => link.show && isAllowed(link.url))
    .toSorted((a, b) => b.sort - a.sort);
}

function isAllowed(url: string): boolean {
  return schemes.some((scheme) => url.toLowerCase().startsWith(`${scheme}//`));
}

/** Returns the URL that opens a chat client with this key. */
export function chatLinkUrl(link: ChatLink, key: string, server: string): string {
  return link.url.replaceAll('{key}', encodeURIComponent(key)).replaceAll('{server}', encodeURIComponent(server));
}
