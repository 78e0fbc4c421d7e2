import Box from '@mui/material/Box';
import { Lexer, Marked, type Token } from 'marked';
import { useLayoutEffect, useMemo, useRef } from 'react';
import { monoFont } from '../theme/design-tokens.ts';
import { stripInlineHandlers } from './allowed-html.ts';
import { isReadableInline, isReadableMarkdown } from './markdown-limits.ts';
import { PlainText } from './plain-text.tsx';
import { sanitizeHtml } from './sanitize-html.ts';

const marked = new Marked({ gfm: true, breaks: true, renderer: { html: ({ text }) => stripInlineHandlers(text) } });

/**
 * Renders untrusted Markdown or HTML without anything that could run or load unseen. Text that cannot be
 * parsed fast enough is shown as it is.
 * @param pictures whether to load images of other hosts, which would tell them what the user reads
 */
export function Markdown({ text, pictures = false }: { text: string; pictures?: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const safe = useMemo(() => safeFragment(text), [text]);
  useLayoutEffect(() => {
    if (safe === undefined) return;
    // A copy, because inserting empties the fragment.
    const copy = document.importNode(pictures ? safe : withoutOtherHosts(safe), true);
    place.current?.replaceChildren(copy);
  }, [safe, pictures]);
  return safe === undefined ? <PlainText>{text}</PlainText> : <Box ref={place} sx={prose} />;
}

/** Parses the text in a separate document, in which nothing loads. */
function safeFragment(text: string): DocumentFragment | undefined {
  if (!isReadableMarkdown(text)) return undefined;
  try {
    return sanitizeHtml(marked.parser(new CarefulLexer(marked.defaults).lex(text)));
  } catch {
    return undefined;
  }
}

const prose = {
  // A wide drawing must not cover what stands beside the text, such as another model's response.
  contain: 'paint',
  overflowWrap: 'anywhere',
  lineHeight: 1.6,
  '& > :first-of-type': { mt: 0 },
  '& > :last-child': { mb: 0 },
  '& h1': { fontSize: '1.25rem' },
  '& h2': { fontSize: '1rem' },
  '& h3, & h4': { fontSize: '0.875rem' },
  '& a': { color: 'primary.main' },
  '& img, & svg': { maxWidth: '100%' },
  '& code': { fontFamily: monoFont, fontSize: '0.85em', bgcolor: 'neutral.soft', px: 0.5, borderRadius: 0.5 },
  '& pre': {
    bgcolor: 'background.default',
    border: 1,
    borderColor: 'divider',
    borderRadius: 1,
    p: 1.5,
    overflowX: 'auto',
  },
  '& pre code': { bgcolor: 'transparent', p: 0 },
  '& table': { borderCollapse: 'collapse', display: 'block', overflowX: 'auto', my: 2 },
  '& th, & td': { border: 1, borderColor: 'divider', px: 1, py: 0.5 },
  // CSS would override the `align` attributes of the cells.
  '& th:not([align])': { textAlign: 'left' },
  '& blockquote': { borderLeft: 3, borderColor: 'divider', ml: 0, pl: 2, color: 'text.secondary' },
} as const;

/** Lexer that keeps a paragraph as text if parsing it would block the page. */
class CarefulLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (isReadableInline(text)) return super.inlineTokens(text, tokens);
    tokens.push({ type: 'text', raw: text, text, escaped: false });
    return tokens;
  }
}

/** Returns a copy with links instead of external images, so that no host is called before the user clicks. */
function withoutOtherHosts(fragment: DocumentFragment): DocumentFragment {
  const { ownerDocument } = fragment;
  const copy = ownerDocument.importNode(fragment, true);
  for (const source of copy.querySelectorAll('source')) source.remove();
  for (const picture of copy.querySelectorAll('picture')) picture.replaceWith(...picture.childNodes);
  for (const image of copy.querySelectorAll('img')) {
    const address = image.getAttribute('src') ?? '';
    image.removeAttribute('srcset');
    if (address.startsWith('data:')) continue;
    image.replaceWith(...(isWebAddress(address) ? [linkTo(ownerDocument, address, image)] : []));
  }
  return copy;
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

function linkTo(ownerDocument: Document, address: string, image: Element): HTMLAnchorElement {
  const link = ownerDocument.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.textContent = image.getAttribute('alt') || address;
  return link;
}
