import { afterEach, expect, it } from 'vitest';
import { chooseLanguage } from './i18n.ts';
import { nearestLanguage } from './languages.ts';

afterEach(() => localStorage.clear());

it.each([
  ['zh', 'zh_CN'],
  ['zh-Hans-HK', 'zh_CN'],
  ['zh-TW', 'zh_HK'],
  ['zh_Hant', 'zh_HK'],
  ['ja', 'ja_JP'],
  ['en-GB', 'en_US'],
  ['fr', undefined],
])('maps %s to %s', (tag, language) => {
  expect(nearestLanguage(tag)).toBe(language);
});

it('prefers the stored choice to the site’s language, and that to the browser’s', () => {
  expect(chooseLanguage('ja_JP')).toBe('ja_JP');
  localStorage.setItem('appLanguage', 'zh_HK');
  expect(chooseLanguage('ja_JP')).toBe('zh_HK');
});
