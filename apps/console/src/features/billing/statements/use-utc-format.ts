import { useMemo } from 'react';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';

/** Returns formatters for the months and times of statements, which are in UTC, in the user's language. */
export function useUtcFormat(): { month: (date: string) => string; moment: (seconds: number) => string } {
  const language = useLanguage();
  return useMemo(() => {
    const format = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(languageTags[language], { ...options, timeZone: 'UTC' });
    const month = format({ year: 'numeric', month: 'long' });
    const moment = format({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
    return { month: (date) => month.format(new Date(date)), moment: (seconds) => moment.format(seconds * 1000) };
  }, [language]);
}
