/** The documentation has no broken links, loads nothing from other hosts, and its translations follow their sources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildSite, type Site } from '../scripts/docs-site/build-site.ts';
import { getChinesePath, listAllSources, listSections } from '../scripts/docs-site/pages.ts';
import { createSlugger, type Heading, renderMarkdown } from '../scripts/docs-site/render-markdown.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

let site: Site;
beforeAll(() => {
  site = buildSite();
});

describe('the site', () => {
  const attributes = (html: string, name: string): string[] =>
    [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value.replaceAll('&amp;', '&'));
  const htmlFiles = (): [string, string][] =>
    [...site.files].flatMap(([address, content]) =>
      address.endsWith('.html') ? [[address, String(content)] as [string, string]] : [],
    );

  test('has no broken links, neither to pages nor to headings', () => {
    const ids = new Map(htmlFiles().map(([address, html]) => [address, new Set(attributes(html, 'id'))]));
    const dead: string[] = [];
    let count = 0;
    for (const [address, html] of htmlFiles())
      for (const href of [...attributes(html, 'href'), ...attributes(html, 'src')]) {
        if (/^[a-z]+:/.test(href)) continue;
        count += 1;
        const [path = '', anchor] = href.split('#');
        const target = path === '' ? address : normalize(join(dirname(address), path));
        const isDead = !site.files.has(target) || (anchor !== undefined && ids.get(target)?.has(anchor) !== true);
        if (isDead) dead.push(`${address}: ${href}`);
      }
    expect(count).toBeGreaterThan(5_000);
    expect(dead).toEqual([]);
  });

  test('loads nothing from other hosts, and has no script or style inside its pages', () => {
    for (const [address, html] of htmlFiles()) {
      const fetched = [
        ...attributes(html, 'src'),
        ...[...html.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href = '']) => href),
      ];
      expect(fetched.length, address).toBeGreaterThan(2);
      expect(
        fetched.filter((href) => /^([a-z]+:|\/\/)/.test(href)),
        address,
      ).toEqual([]);
      expect(html, address).not.toMatch(/<script(?![^>]* src=)| style="| on\w+="/);
    }
    expect(String(site.files.get('site.css'))).not.toMatch(/url\(|@import/);
  });

  test('contains every document and each call of the management API, and finds them', () => {
    const pages = new Set([...site.pages.values()].map(({ source }) => source));
    for (const source of listAllSources()) expect(pages).toContain(source);
    expect(pages).toContain('docs/decisions/0002-pass-through-first.md');
    const calls = [...site.pages.values()].filter(({ source }) => source.startsWith('docs/api/'));
    expect(calls.flatMap(({ headings }) => headings.filter(({ depth }) => depth === 2)).length).toBeGreaterThan(200);
    expect(String(site.files.get('search-en.js'))).toContain('manual/operator.html#keys');
  });

  test('lists every manual among the manuals', () => {
    const [manuals, ...others] = listSections('en');
    expect(others.flatMap(({ sources }) => sources).filter((source) => source.startsWith('docs/manual/'))).toEqual([]);
    expect(manuals?.sources).toEqual(expect.arrayContaining(['docs/manual/backup.md']));
  });

  test('has the anchors of code hosts', () => {
    const slug = createSlugger();
    expect(['Keys', 'What a request costs, and when', 'Keys', '`a_b` (c)', '安装'].map(slug)).toEqual([
      'keys',
      'what-a-request-costs-and-when',
      'keys-1',
      'a_b-c',
      '安装',
    ]);
  });
});

/** `<!-- follows docs/a.md -->`, or with the chapters that it has: `<!-- follows docs/a.md: One; Two -->` */
const FOLLOWS = /^<!-- follows (\S+\.md)(?:: (.+))? -->$/m;

interface Chapter {
  title: string;
  /** Returns the depths of the headings below it, in their order. */
  below: number[];
}

function chaptersOf(headings: readonly Heading[]): Chapter[] {
  const chapters: Chapter[] = [];
  for (const { depth, text } of headings)
    if (depth === 2) chapters.push({ title: text, below: [] });
    else chapters.at(-1)?.below.push(depth);
  return chapters;
}

describe('Chinese pages', () => {
  const sources = listAllSources().filter((source) => source.startsWith('docs/zh_CN/'));
  const headingsOf = (source: string): Heading[] => renderMarkdown(read(source), source).headings;

  test('exist for every manual, and for the product’s guarantees', () => {
    const manuals = readdirSync(join(root, 'docs/manual')).map((name) => `docs/manual/${name}`);
    const promises = ['security', 'reliability', 'performance', 'scaling'].map((name) => `docs/${name}.md`);
    const wanted = ['README.md', ...manuals, ...promises];
    expect(wanted.filter((source) => !sources.includes(getChinesePath(source)))).toEqual([]);
  });

  test.each(sources)('%s follows its English page, chapter by chapter', (source) => {
    const [, english = '', chosen] = FOLLOWS.exec(read(source)) ?? [];
    expect(existsSync(join(root, english)), english).toBe(true);
    expect(getChinesePath(english)).toBe(source);
    const all = chaptersOf(headingsOf(english));
    const titles = chosen?.split('; ') ?? all.map(({ title }) => title);
    const followed = titles.map((title) => all.find((chapter) => chapter.title === title));
    expect(titles.filter((_, at) => followed[at] === undefined)).toEqual([]);
    const own = chaptersOf(headingsOf(source));
    expect(own.map(({ below }) => below)).toEqual(followed.map((chapter) => chapter?.below));
  });

  test.each(sources)('%s uses the console’s terms', (source) => {
    // Our terms are 令牌, Token, 渠道, 用户, 点 and 您.
    expect(read(source).match(/你|词元|令牌数|通道|積分|积分|使用者|網/g) ?? []).toEqual([]);
  });
});

test('the documents name only files and folders that exist', () => {
  const files = new Set(
    ['apps', 'bench', 'deploy', 'packages', 'scripts', 'tests'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((path) => `/${folder}/${path}`)
        .filter((path) => !path.includes('/node_modules/')),
    ),
  );
  const ends = new Set([...files].flatMap((path) => listEnds(path)));
  const documents = [...listAllSources(), 'AGENTS.md', 'CONTRIBUTING.md', 'README.md'];
  const named = documents.flatMap((document) =>
    [...read(document).matchAll(/`([\w./@-]+\.tsx?)`|`((?:gateway|ledger|operations|platform)\/[\w/-]+)`/g)].map(
      ([, file, folder]) => ({ document, path: file ?? folder ?? '' }),
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !path.includes('NAME') && !ends.has(path))).toEqual([]);
});

/** Returns a path without its first folders, one after another. */
function listEnds(path: string): string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, index) => parts.slice(index).join('/'));
}
