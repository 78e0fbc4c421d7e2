import Box from '@mui/material/Box';
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useEffect, useMemo, useRef } from 'react';
import { CarefulLexer } from './careful-lexer.ts';
import { monoFont } from './fonts.ts';
import { PlainText } from './plain-text.tsx';
import { quietHtml } from './quiet-html.ts';
import { isReadableMarkdown } from './readable-markdown.ts';

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: { html: ({ text }) => quietHtml(text) },
});

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement) {
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
});

/**
 * Markdown or HTML that somebody wrote, without anything that could run or load from elsewhere unseen. What cannot be
 * read as Markdown, or would take too long, is shown as it was written.
 */
export function Markdown({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  const safe = useMemo(() => safeHtml(text), [text]);
  useEffect(() => {
    // Through the element, because React would turn the trusted value into text again.
    if (place.current !== null) place.current.innerHTML = safe as unknown as string;
  }, [safe]);
  return safe === undefined ? <PlainText>{text}</PlainText> : <Box ref={place} sx={prose} />;
}

function safeHtml(text: string): TrustedHTML | undefined {
  if (!isReadableMarkdown(text)) return undefined;
  try {
    return DOMPurify.sanitize(marked.parser(new CarefulLexer(marked.defaults).lex(text)), {
      RETURN_TRUSTED_TYPE: true,
      FORBID_TAGS: ['style', 'form', 'input', 'iframe'],
      FORBID_ATTR: ['style'],
    });
  } catch {
    return undefined;
  }
}

const prose = {
  overflowWrap: 'anywhere',
  lineHeight: 1.6,
  '& > :first-of-type': { mt: 0 },
  '& > :last-child': { mb: 0 },
  '& h1': { fontSize: '1.25rem' },
  '& h2': { fontSize: '1rem' },
  '& h3, & h4': { fontSize: '0.875rem' },
  '& a': { color: 'primary.main' },
  '& img': { maxWidth: '100%' },
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
  '& table': { borderCollapse: 'collapse', display: 'block', overflowX: 'auto' },
  '& th, & td': { border: 1, borderColor: 'divider', px: 1, py: 0.5, textAlign: 'left' },
  '& blockquote': { borderLeft: 3, borderColor: 'divider', ml: 0, pl: 2, color: 'text.secondary' },
} as const;
