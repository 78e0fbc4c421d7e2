export const languages = ['zh_CN', 'zh_HK', 'en_US', 'ja_JP'] as const;
export type Language = (typeof languages)[number];

export const languageNames: Record<Language, string> = {
  zh_CN: '简体中文',
  zh_HK: '繁體中文',
  en_US: 'English',
  ja_JP: '日本語',
};

/** BCP 47 tags for `<html lang>` and Intl. */
export const languageTags: Record<Language, string> = {
  zh_CN: 'zh-CN',
  zh_HK: 'zh-HK',
  en_US: 'en-US',
  ja_JP: 'ja-JP',
};

export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}

/** Returns the closest supported language for a browser's tag such as `zh-TW` or `ja`. */
export function nearestLanguage(tag: string): Language | undefined {
  const [base = '', ...parts] = tag.replaceAll('_', '-').toLowerCase().split('-');
  if (base === 'zh') return isTraditional(parts) ? 'zh_HK' : 'zh_CN';
  if (base === 'ja') return 'ja_JP';
  if (base === 'en') return 'en_US';
  return undefined;
}

/** Returns whether the subtags mean traditional Chinese; a script takes precedence over the region. */
function isTraditional(parts: string[]): boolean {
  if (parts.includes('hans')) return false;
  return parts.some((part) => ['hant', 'hk', 'tw', 'mo'].includes(part));
}
