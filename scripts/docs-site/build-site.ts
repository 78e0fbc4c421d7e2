/** Builds the documentation site as static files: every document, the management API, and the search index. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApiReference } from './api-reference.ts';
import {
  getChinesePath,
  getLanguage,
  getPageAddress,
  type Language,
  listAllSources,
  listSections,
  root,
  type Section,
} from './pages.ts';
import { getFileAddress, type RenderedPage, renderMarkdown } from './render-markdown.ts';
import { renderSitePage } from './site-page.ts';

export interface Site {
  /** Content by path. */
  files: Map<string, string | Buffer>;
  pages: Map<string, RenderedPage & { source: string }>;
}

const FAVICON = 'apps/console/public/favicon.svg';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** @throws for a link of a document to a missing page */
export function buildSite(): Site {
  const { version }: { version: string } = JSON.parse(read('package.json'));
  const generated = buildApiReference(version);
  const texts = new Map([...listAllSources().map((source) => [source, read(source)] as const), ...generated]);
  const pages: Site['pages'] = new Map();
  for (const [source, text] of texts) pages.set(readRequired(source), { ...renderMarkdown(text, source), source });

  const [reference = '', ...features] = generated.keys();
  const api = (language: Language): Section => ({
    title: language === 'en' ? 'Management API' : '管理 API（英文）',
    sources: [reference, ...features],
  });
  const files: Site['files'] = new Map();
  for (const [address, page] of pages) {
    const language = getLanguage(page.source);
    const sections = [...listSections(language), api(language)].map(({ title, sources }) => ({
      title,
      entries: sources.map((source) => ({
        title: shortenTitle(source, pages.get(readRequired(source))?.title ?? source),
        address: readRequired(source),
      })),
    }));
    files.set(
      address,
      renderSitePage({ ...page, address, language, sections, other: findTranslation(page.source, pages) }),
    );
    for (const path of page.files) files.set(getFileAddress(path), readFileSync(join(root, path)));
  }
  for (const language of ['en', 'zh_CN'] as const)
    files.set(`search-${language}.js`, buildSearchIndex(pages, language));
  for (const name of ['site.css', 'site.js']) files.set(name, readFileSync(join(import.meta.dirname, name), 'utf8'));
  files.set('favicon.svg', read(FAVICON));
  return { files, pages };
}

function readRequired(source: string): string {
  const address = getPageAddress(source);
  if (address === undefined) throw new Error(`${source} is no page of the site`);
  return address;
}

/** Shortens titles in the navigation by what all titles of their section have in common. */
function shortenTitle(source: string, title: string): string {
  const number = /\/(\d{4})-[^/]+$/.exec(source)?.[1];
  if (number !== undefined) return title.replace(/^\d+\. /, `${Number(number)}. `);
  return title;
}

function findTranslation(source: string, pages: Site['pages']): string {
  if (getLanguage(source) === 'zh_CN')
    return readRequired(source === 'docs/zh_CN/README.md' ? 'README.md' : source.replace('docs/zh_CN/', 'docs/'));
  const address = getPageAddress(getChinesePath(source)) ?? '';
  return pages.has(address) ? address : 'zh_CN/index.html';
}

/** A script, because a page that is opened from a disk may not read a file. Chinese readers also find English texts. */
function buildSearchIndex(pages: Site['pages'], language: Language): string {
  const wanted = [...pages].filter(([, { source }]) => language === 'zh_CN' || getLanguage(source) === 'en');
  const own = wanted.toSorted(
    ([, a], [, b]) => Number(getLanguage(b.source) === language) - Number(getLanguage(a.source) === language),
  );
  const entries = own.flatMap(([address, { title, texts }]) =>
    texts.map(({ id, heading, text }) => [`${address}#${id}`, title, heading, text]),
  );
  return `searchIndex = ${JSON.stringify(entries)};\n`;
}
