import type { Language } from './languages.ts';

/** MUI's own words ("Clear", "Open"). English is what MUI has built in. */
export async function loadMuiLocale(language: Language): Promise<object> {
  if (language === 'en_US') return {};
  const { jaJP, zhCN, zhHK } = await import('@mui/material/locale');
  return { zh_CN: zhCN, zh_HK: zhHK, ja_JP: jaJP }[language];
}
