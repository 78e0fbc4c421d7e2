import { useTranslation } from 'react-i18next';
import { isLanguage, type Language } from './languages.ts';

/** The language on the screen; a component that uses it renders again when the language changes. */
export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return isLanguage(i18n.language) ? i18n.language : 'en_US';
}
