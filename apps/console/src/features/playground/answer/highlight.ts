import { createHighlighterCore, type HighlighterCore, type LanguageInput } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

/** Grammars, each of which loads when a response first contains its language. */
const grammars: Readonly<Record<string, () => LanguageInput>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

const shortNames: Readonly<Record<string, string>> = {
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  js: 'javascript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** Part of the code with one colour; `at` is its offset. */
export interface ColouredPart {
  at: number;
  text: string;
  colour: string | undefined;
}
export type Scheme = 'light' | 'dark';

const themes = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } as const;
let highlighter: Promise<HighlighterCore> | undefined;

function loadHighlighter(): Promise<HighlighterCore> {
  highlighter ??= createHighlighterCore({
    engine: createJavaScriptRegexEngine(),
    themes: [
      import('shiki/themes/github-light-high-contrast.mjs'),
      import('shiki/themes/github-dark-high-contrast.mjs'),
    ],
    langs: [],
  });
  return highlighter;
}

/** Returns the code as coloured parts; undefined for a language without a grammar. */
export async function highlight(code: string, language: string, scheme: Scheme): Promise<ColouredPart[] | undefined> {
  const asked = language.toLowerCase();
  const name = shortNames[asked] ?? asked;
  const grammar = Object.hasOwn(grammars, name) ? grammars[name] : undefined;
  if (grammar === undefined) return undefined;
  const core = await loadHighlighter();
  await core.loadLanguage(grammar());
  const { tokens } = core.codeToTokens(code, { lang: name, theme: themes[scheme] });
  let at = 0;
  return tokens.flatMap((line) => {
    const parts = [...line, { content: '\n', color: undefined }].map(({ content, color }) => {
      const part = { at, text: content, colour: color };
      at += content.length;
      return part;
    });
    return parts;
  });
}
