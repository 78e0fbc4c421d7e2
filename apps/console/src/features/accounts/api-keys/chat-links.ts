import { z } from 'zod';
import { appSchemes } from '../../../ui/theme/tokens.ts';

const chatLink = z.object({
  name: z.string(),
  url: z.string(),
  show: z.boolean().default(true),
  sort: z.number().default(0),
});
export type ChatLink = z.output<typeof chatLink>;

/** Web pages and chat apps; nothing that could run in this page. */
const schemes = ['https:', 'http:', ...appSchemes];

/** The chat clients the operator offers, the ones with the larger sort value first. */
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

/** The address that opens a chat client with this key. */
export function chatLinkUrl(link: ChatLink, key: string, server: string): string {
  return link.url
    .replaceAll('{key}', encodeURIComponent(key))
    .replaceAll('{server}', encodeURIComponent(server));
}
