/** Renders a document as HTML, with its headings, the text for the search, and the files that it links. */
import { dirname, join, normalize, relative } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { getPageAddress } from './pages.ts';

export interface Heading {
  depth: number;
  text: string;
  id: string;
}

export interface RenderedPage {
  title: string;
  html: string;
  headings: Heading[];
  /** The text under each heading. */
  texts: { id: string; heading: string; text: string }[];
  /** Files of the repository that the page links or shows. */
  files: string[];
}

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => named[character] ?? '');

/** Same anchors as code hosts, so that links work in both. */
export function createSlugger(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}

/** Returns the visible text of a token. */
function extractText(tokens: readonly Token[]): string {
  return tokens
    .map((token): string => {
      if (token.type === 'table') {
        const { header, rows }: Pick<Tokens.Table, 'header' | 'rows'> = token as Tokens.Table;
        return [header, ...rows].flatMap((row) => row.map((cell) => extractText(cell.tokens))).join(' ');
      }
      if (token.type === 'list')
        return (token as Tokens.List).items.map((item) => `${extractText(item.tokens)} `).join('');
      if ('tokens' in token && token.tokens !== undefined) return extractText(token.tokens);
      if (token.type === 'space' || token.type === 'html') return ' ';
      return 'text' in token ? String(token.text) : '';
    })
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const CHINESE = '[\\u3000-\\u303f\\u4e00-\\u9fff\\uff00-\\uffef“”‘’—…]';
/** Joins lines of Chinese, where browsers would show a line break as a blank. */
const brokenChinese = new RegExp(`(?<=${CHINESE})\\n[ ]*(?=${CHINESE})`, 'g');

const unescape = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => {
    const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
    return characters[name] ?? '';
  });

/** Returns the site's path of a file that is no page: as text, so that a browser shows it. */
export const getFileAddress = (path: string): string =>
  /\.(png|svg)$/.test(path) ? `files/${path}` : `files/${path}.txt`;

/** @param source path of the document, from the repository's root */
export function renderMarkdown(text: string, source: string): RenderedPage {
  const here = dirname(getPageAddress(source) ?? source);
  const slug = createSlugger();
  const headings: Heading[] = [];
  const files = new Set<string>();

  const target = (href: string): string => {
    if (/^[a-z]+:/i.test(href) || href.startsWith('#')) return href;
    const [path = '', anchor] = href.split('#');
    const wanted = normalize(join(dirname(source), decodeURIComponent(path)));
    const page = getPageAddress(wanted);
    if (page === undefined) files.add(wanted);
    const address = relative(here, page ?? getFileAddress(wanted));
    return anchor === undefined ? address : `${address}#${anchor}`;
  };

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const id = slug(unescape(extractText(tokens)));
        headings.push({ depth, text: unescape(extractText(tokens)), id });
        const link = `<a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${depth > 1 ? link : ''}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const outside = /^https?:/.test(href) ? ' rel="noreferrer"' : '';
        return `<a href="${escapeHtml(target(href))}"${outside}>${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(target(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      html({ text }) {
        return text
          .replaceAll(/<!--[\s\S]*?-->/g, '')
          .replaceAll(/ src="([^"]+)"/g, (_all, href: string) => ` src="${escapeHtml(target(href))}" loading="lazy"`);
      },
      code({ text, lang }) {
        return `<pre${lang === undefined || lang === '' ? '' : ` data-language="${escapeHtml(lang)}"`}><code>${escapeHtml(text)}</code></pre>\n`;
      },
    },
  });
  const tokens = marked.lexer(text.replaceAll(brokenChinese, ''));
  const html = marked
    .parser(tokens)
    .replaceAll('<table>', '<div class="scroll"><table>')
    .replaceAll('</table>', '</table></div>');

  const texts: RenderedPage['texts'] = [];
  let at = -1;
  for (const token of tokens) {
    const heading = headings[at + 1];
    if (token.type === 'heading' && heading !== undefined) {
      at += 1;
      texts.push({ id: heading.id, heading: heading.text, text: '' });
      continue;
    }
    const last = texts.at(-1);
    if (last !== undefined) last.text = `${last.text} ${unescape(extractText([token]))}`.trim();
  }
  return { title: headings[0]?.text ?? source, html, headings, texts, files: [...files] };
}
