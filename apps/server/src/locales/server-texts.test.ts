import { language } from '@switchyard/contract/accounts/account-fields';
import { describe, expect, it } from 'vitest';
import {
  documentTexts,
  fillText,
  mailTexts,
  notificationTexts,
  telegramTexts,
  wechatPayTexts,
} from './server-texts.ts';

const subjects = { documentTexts, mailTexts, notificationTexts, telegramTexts, wechatPayTexts };

/** Returns the path of every text with its placeholders in alphabetical order. */
function placeholders(texts: unknown, path = ''): string[] {
  if (typeof texts === 'string')
    return [`${path} ${[...new Set(texts.match(/\{\{\w+\}\}/g))].toSorted().join(' ')}`.trim()];
  return Object.entries(texts as object).flatMap(([name, value]) => placeholders(value, `${path}/${name}`));
}

describe.each(Object.entries(subjects))('%s', (_name, texts) => {
  it.each(language.options)('have the same placeholders in %s as in English', (name) => {
    expect(placeholders(texts[name])).toEqual(placeholders(texts.en_US));
  });
});

describe('fillText', () => {
  it('puts each value in once, also one that looks like a placeholder', () => {
    expect(fillText('{{a}} and {{b}}, {{a}}', { a: '{{b}} $1', b: 2 })).toBe('{{b}} $1 and 2, {{b}} $1');
  });

  it('refuses a placeholder without a value', () => {
    expect(() => fillText('Hello {{name}}', {})).toThrow('No value for name');
    expect(() => fillText('Hello {{constructor}}', {})).toThrow('No value for constructor');
  });
});
