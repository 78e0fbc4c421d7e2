import type { TimeStep } from '@switchyard/contract/usage/analytics';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import type { Question } from './queries.ts';

const formats: Readonly<Record<TimeStep, Intl.DateTimeFormatOptions>> = {
  hour: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { month: 'short', day: 'numeric' },
  week: { month: 'short', day: 'numeric' },
  month: { year: 'numeric', month: 'short' },
};

/**
 * Returns the labels of the time steps in the viewer's present UTC offset, as the server counts, regardless of clock
 * changes.
 */
export function useStepLabels(
  { step = 'day', utc_offset = 0 }: Question,
  steps: readonly number[],
): string[] {
  const language = useLanguage();
  const format = new Intl.DateTimeFormat(languageTags[language], { ...formats[step], timeZone: 'UTC' });
  return steps.map((start) => format.format((start + utc_offset * 60) * 1000));
}
