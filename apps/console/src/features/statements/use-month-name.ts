import { useMemo } from 'react';
import { languageTags } from '../../i18n/languages.ts';
import { useLanguage } from '../../i18n/use-language.ts';

/** Names a month of the contract, `2026-11-01`, in the language on the screen. */
export function useMonthName(): (date: string) => string {
  const language = useLanguage();
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(languageTags[language], {
      year: 'numeric',
      month: 'long',
      timeZone: 'UTC',
    });
    return (date) => format.format(new Date(date));
  }, [language]);
}
