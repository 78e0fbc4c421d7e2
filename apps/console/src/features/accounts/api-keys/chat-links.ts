import { z } from 'zod';
import { appSchemes } from '../../../ui/theme/tokens.ts';

const chatLink = z.object({
  name: z.string(),
  url: z.string(),
  show: z.boolean().default(true),
  sort: z.number().default(0),
});
export type ChatLink = z.output<typeof chatLink>;

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
