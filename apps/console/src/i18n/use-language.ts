import { useTranslation } from 'react-i18next';
import { isLanguage, type Language } from './languages.ts';

/** Returns the current language; a change of it renders the component again. */
export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return isLanguage(i18n.language) ? i18n.language : 'en_US';
}
