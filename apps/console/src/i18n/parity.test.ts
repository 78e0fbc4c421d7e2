import { errorCodes } from '@switchyard/contract/errors';
import { describe, expect, it } from 'vitest';
import { type Language, languages, languageTags } from './languages.ts';

type Words = { [key: string]: string | Words };

const files = import.meta.glob<Words>('./*/*.json', { eager: true, import: 'default' });
const features = [...new Set(Object.keys(files).map((path) => path.split('/')[2]?.replace('.json', '') ?? ''))];

function flat(words: Words, prefix = ''): [key: string, text: string][] {
  return Object.entries(words).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + key, value]] : flat(value, `${prefix}${key}.`),
  );
}

function wordsOf(language: Language, feature: string): Map<string, string> {
  return new Map(flat(files[`./${language}/${feature}.json`] ?? {}));
}

const PLURAL = /_(zero|one|two|few|many|other)$/;
const baseKeys = (words: Map<string, string>) => new Set([...words.keys()].map((key) => key.replace(PLURAL, '')));
const placeholders = (text: string) =>
  Array.from(text.matchAll(/\{\{(\w+)\}\}/g), (match) => match[1] ?? '').toSorted();
/** Names that are equal in every language. */
const sameEverywhere =
  /^(Telegram|MarkdownV2|HTML|Turnstile|GitHub|OpenID Connect|Lark|WeChat|Midjourney|Kling|Suno|Switchyard|OpenAI|Stripe|Slack|Discord|Bark|ntfy|PayPal|USDT|[\W\d]*)$/;

describe.each(features)('%s', (feature) => {
  const english = wordsOf('en_US', feature);

  it.each(languages)('has the same keys in %s as in English, without empty texts', (language) => {
    const words = wordsOf(language, feature);
    expect([...baseKeys(words)].toSorted()).toEqual([...baseKeys(english)].toSorted());
    expect([...words].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it.each(languages)('has exactly the plural forms of %s', (language) => {
    const words = wordsOf(language, feature);
    const forms = new Intl.PluralRules(languageTags[language]).resolvedOptions().pluralCategories.toSorted();
    const plural = new Set([...words.keys()].filter((key) => PLURAL.test(key)).map((key) => key.replace(PLURAL, '')));
    for (const base of plural) {
      const present = forms.filter((form) => words.has(`${base}_${form}`));
      const all = [...words.keys()].filter((key) => key.replace(PLURAL, '') === base && PLURAL.test(key));
      expect({ base, present, count: all.length }).toEqual({ base, present: forms, count: forms.length });
    }
  });

  it.each(languages)('has the same placeholders in %s as in English', (language) => {
    for (const [key, text] of wordsOf(language, feature)) {
      const other = english.get(key) ?? english.get(key.replace(PLURAL, '_other')) ?? '';
      expect({ key, holes: placeholders(text) }).toEqual({ key, holes: placeholders(other) });
    }
  });

  it.each(['zh_CN', 'zh_HK', 'ja_JP'] as const)('is translated to %s, not copied from English', (language) => {
    const copied = [...wordsOf(language, feature)].filter(
      ([key, text]) =>
        text === english.get(key) && text.length > 3 && !sameEverywhere.test(text.replaceAll(/\{\{\w+\}\}/g, '')),
    );
    expect(copied).toEqual([]);
  });
});

it.each(languages)('translates every error code of the contract to %s', (language) => {
  const words = wordsOf(language, 'errors');
  const missing = [...errorCodes, 'unreachable'].filter((code) => !words.has(`code.${code}`));
  expect(missing).toEqual([]);
});

it('writes zh_HK in traditional characters only', () => {
  const simplified = /[们个发关设录户读写变册请这选闭启复删显码钥额项条载连错误]/;
  const texts = features.flatMap((feature) => Array.from(wordsOf('zh_HK', feature).values()));
  const leaked = texts.flatMap((text) => Array.from(text).filter((character) => simplified.test(character)));
  expect(leaked).toEqual([]);
});

/** Words that contradict the glossary, or a form of address that the console does not use. */
const foreignWords: Partial<Record<Language, RegExp>> = {
  zh_CN: /你(?!好)|词元|(?<![A-Za-z{_])token(?![A-Za-z}])/,
  zh_HK: /你(?!好)|詞元|(?<![A-Za-z{_])token(?![A-Za-z}])|(?<!租)用戶(?!端|名)|儲值|充值|存取令牌/,
};

it.each(['zh_CN', 'zh_HK'] as const)('uses one word for each thing and one form of address in %s', (language) => {
  const texts = features.flatMap((feature) => Array.from(wordsOf(language, feature).values()));
  expect(texts.filter((text) => foreignWords[language]?.test(text))).toEqual([]);
});
