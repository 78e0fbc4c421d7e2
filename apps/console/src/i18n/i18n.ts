import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next';
import './translation-resource-types.ts';
import { isolateBidi } from './bidi.ts';
import { isLanguage, type Language, languageTags, nearestLanguage } from './languages.ts';

const STORAGE_KEY = 'appLanguage';
const files = import.meta.glob<{ default: Record<string, unknown> }>('./*/*.json');

/** Loads the texts of one feature and language on demand. */
const lazyFiles = {
  type: 'backend' as const,
  init() {},
  async read(language: string, namespace: string) {
    const load = files[`./${language}/${namespace}.json`];
    if (load === undefined) throw new Error(`there are no texts of ${namespace} in ${language}`);
    return (await load()).default;
  },
};

const i18n = createInstance();

/**
 * Returns the first supported of: `?lang=`, the stored choice, the site's setting, the browser's languages.
 */
export function chooseLanguage(siteLanguage: string | undefined): Language {
  const asked = new URLSearchParams(location.search).get('lang') ?? '';
  const candidates = [asked, storedLanguage(), siteLanguage ?? '', ...navigator.languages];
  for (const candidate of candidates) {
    if (isLanguage(candidate)) return candidate;
    const near = nearestLanguage(candidate);
    if (near !== undefined) return near;
  }
  return 'zh_CN';
}

function storedLanguage(): string {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? '';
  } catch {
    return '';
  }
}

function applyToDocument(language: string): void {
  if (isLanguage(language)) document.documentElement.lang = languageTags[language];
}

export async function startI18n(language: Language): Promise<void> {
  i18n.on('languageChanged', applyToDocument);
  await i18n
    .use(lazyFiles)
    .use(initReactI18next)
    .init({
      lng: language,
      fallbackLng: 'en_US',
      load: 'currentOnly',
      partialBundledLanguages: true,
      ns: ['common', 'errors', 'shell'],
      defaultNS: 'common',
      // React already escapes HTML; names in sentences only need bidi isolation.
      interpolation: { escapeValue: true, escape: isolateBidi },
      returnNull: false,
    });
  applyToDocument(language);
}

export async function switchLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem(STORAGE_KEY, language);
  } catch {
    // Storage is blocked: the choice lasts until the page is reloaded.
  }
  await i18n.changeLanguage(language);
}
