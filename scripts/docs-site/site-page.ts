/** Layout of a page of the site. Its links are relative, so that it works in any folder. */
import { dirname, relative } from 'node:path';
import type { Language } from './pages.ts';
import { escapeHtml, type Heading } from './render-markdown.ts';

export interface SiteEntry {
  title: string;
  address: string;
}

export interface SitePage {
  address: string;
  language: Language;
  title: string;
  html: string;
  headings: readonly Heading[];
  /** The same page in the other language, or its start page. */
  other: string;
  sections: readonly { title: string; entries: readonly SiteEntry[] }[];
}

const siteTexts = {
  en: {
    tag: 'en',
    other: '简体中文',
    search: 'Search',
    nothing: 'Nothing was found',
    menu: 'Contents',
    here: 'On this page',
    theme: 'Light or dark',
    skip: 'To the text',
  },
  zh_CN: {
    tag: 'zh-CN',
    other: 'English',
    search: '搜索',
    nothing: '没有找到',
    menu: '目录',
    here: '本页内容',
    theme: '浅色或深色',
    skip: '跳到正文',
  },
} as const;

const moon =
  '<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.8" aria-hidden="true"><path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z"/></svg>';

export function renderSitePage(page: SitePage): string {
  const text = siteTexts[page.language];
  const to = (address: string): string => escapeHtml(relative(dirname(page.address), address));
  const entry = ({ title, address }: SiteEntry): string => {
    const current = address === page.address ? ' aria-current="page"' : '';
    return `<li><a href="${to(address)}"${current}>${escapeHtml(title)}</a></li>`;
  };
  const navigation = page.sections
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, entries }) => {
      const isOpen = entries.some(({ address }) => address === page.address) || entries.length < 14;
      return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${entries.map(entry).join('')}</ul></details>`;
    })
    .join('\n');
  const headings = page.headings.filter(({ depth }) => depth === 2 || depth === 3);
  const contents = headings
    .map(
      ({ depth, id, text: heading }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(heading)}</a></li>`,
    )
    .join('');
  const home = page.language === 'en' ? 'index.html' : 'zh_CN/index.html';
  return `<!doctype html>
<html lang="${text.tag}" data-base="${to('.') || '.'}" data-search="search-${page.language}.js" data-nothing="${text.nothing}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Switchyard</title>
<link rel="icon" href="${to('favicon.svg')}">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('site.js')}"></script>
</head>
<body>
<a class="skip" href="#text">${text.skip}</a>
<header>
<button type="button" class="menu" aria-expanded="false" aria-controls="navigation" aria-label="${text.menu}"><span></span></button>
<a class="brand" href="${to(home)}"><img src="${to('favicon.svg')}" alt="" width="24" height="24"><span>Switchyard</span></a>
<div class="search" role="search">
<input type="search" placeholder="${text.search}" aria-label="${text.search}" aria-controls="results" autocomplete="off" spellcheck="false">
<div id="results" class="results" role="listbox" aria-label="${text.search}" hidden></div>
</div>
<a class="language" href="${to(page.other)}" lang="${page.language === 'en' ? 'zh-CN' : 'en'}">${text.other}</a>
<button type="button" class="theme" aria-label="${text.theme}">${moon}</button>
</header>
<div class="columns">
<nav id="navigation" aria-label="${text.menu}">
${navigation}
</nav>
<main id="text">
<article>
${page.html}
</article>
</main>
<aside aria-label="${text.here}">${headings.length > 1 ? `<p>${text.here}</p><ul>${contents}</ul>` : ''}</aside>
</div>
</body>
</html>
`;
}
