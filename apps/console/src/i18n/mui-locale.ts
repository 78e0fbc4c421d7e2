import type { Language } from './languages.ts';

/** Loads MUI's own texts ("Clear", "Open"); English is built in. */
export async function loadMuiLocale(language: Language): Promise<object> {
  if (language === 'en_US') return {};
  const { jaJP, zhCN, zhHK } = await import('@mui/material/locale');
  return { zh_CN: zhCN, zh_HK: zhHK, ja_JP: jaJP }[language];
}
