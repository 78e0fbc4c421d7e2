/** Documents of the site, their order, and their paths. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export type Language = 'en' | 'zh_CN';

export interface Section {
  title: string;
  /** Paths from the repository's root. */
  sources: readonly string[];
}

interface Outline {
  title: Readonly<Record<Language, string>>;
  sources: readonly string[];
}

const manual = (...names: string[]): string[] => names.map((name) => `docs/manual/${name}.md`);
const top = (...names: string[]): string[] => names.map((name) => `docs/${name}.md`);

const outlines: readonly Outline[] = [
  {
    title: { en: 'Manuals', zh_CN: '手册' },
    sources: [
      'README.md',
      ...manual(
        'user',
        'operator',
        'deployment',
        'nodes',
        'backup',
        'move-in',
        'config-file',
        'cli',
        'monitoring',
        'relay-api',
      ),
    ],
  },
  {
    title: { en: 'What it does', zh_CN: '能力与依据' },
    sources: top(
      'providers',
      'translation-matrix',
      'security',
      'authorization',
      'reliability',
      'performance',
      'scaling',
      'console',
      'parity',
    ),
  },
  {
    title: { en: 'How it is made', zh_CN: '实现' },
    sources: [...top('architecture', 'glossary'), 'CONTRIBUTING.md', 'CHANGELOG.md'],
  },
];

function listMarkdown(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .toSorted();
}

const exists = (source: string): boolean => existsSync(join(root, source));

/** Returns the path of an English page's Chinese translation, if it exists. */
export const getChinesePath = (source: string): string => `docs/zh_CN/${source.replace(/^docs\//, '')}`;

/** Returns the pages of the navigation; in Chinese, the translated pages and then the untranslated ones. */
export function listSections(language: Language): Section[] {
  const listed = new Set(outlines.flatMap(({ sources }) => sources));
  // Documents that are not in the order above come last.
  const others = ['docs', 'docs/manual'].flatMap(listMarkdown).filter((source) => !listed.has(source));
  const english: Section[] = [
    ...outlines.map(({ title, sources }) => ({ title: title[language], sources: sources.filter(exists) })),
    {
      title: language === 'en' ? 'Guides and decisions' : '指南与决策',
      sources: [...listMarkdown('docs/guides'), ...listMarkdown('docs/decisions'), ...others],
    },
  ];
  if (language === 'en') return english;
  const translated = english.flatMap(({ sources }) => sources.map(getChinesePath)).filter(exists);
  const untranslated = english.map(({ title, sources }) => ({
    title: `${title}（英文）`,
    sources: sources.filter((source) => !exists(getChinesePath(source))),
  }));
  return [{ title: '简体中文', sources: translated }, ...untranslated];
}

/** Returns every document of the site once. */
export function listAllSources(): string[] {
  const all = (['en', 'zh_CN'] as const).flatMap((language) =>
    listSections(language).flatMap(({ sources }) => sources),
  );
  return [...new Set(all)];
}

export const getLanguage = (source: string): Language => (source.startsWith('docs/zh_CN/') ? 'zh_CN' : 'en');

/** Returns a document's path on the site, or undefined if it is not part of it. */
export function getPageAddress(source: string): string | undefined {
  if (source === 'README.md') return 'index.html';
  if (source === 'docs/zh_CN/README.md') return 'zh_CN/index.html';
  if (source === 'CONTRIBUTING.md' || source === 'CHANGELOG.md') return `${source.slice(0, -3).toLowerCase()}.html`;
  return source.startsWith('docs/') && source.endsWith('.md') ? `${source.slice(5, -3)}.html` : undefined;
}
