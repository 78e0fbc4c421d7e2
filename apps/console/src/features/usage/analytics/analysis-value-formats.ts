import type { CallFigures, Dimension, Measure, NamedValue, TimeStep } from '@switchyard/contract/usage/analytics';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { languageTags } from '../../../i18n/languages.ts';
import { useLanguage } from '../../../i18n/use-language.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import type { Question } from './queries.ts';

type Unit = 'points' | 'count' | 'share' | 'time';

const units: Readonly<Record<Measure, Unit>> = {
  charged: 'points',
  cost: 'points',
  margin: 'points',
  requests: 'count',
  errors: 'count',
  error_rate: 'share',
  prompt_tokens: 'count',
  cached_tokens: 'count',
  completion_tokens: 'count',
  request_time_p50: 'time',
  request_time_p95: 'time',
  request_time_p99: 'time',
  first_byte_time_p50: 'time',
  first_byte_time_p95: 'time',
  first_byte_time_p99: 'time',
};

/** Measures of which an increase is bad, and those of which it is good; the others are neutral. */
const worse: ReadonlySet<Measure> = new Set(['cost', 'errors', 'error_rate']);
const better: ReadonlySet<Measure> = new Set(['charged', 'margin']);

export function isMoreWorse(measure: Measure): boolean | undefined {
  if (worse.has(measure) || units[measure] === 'time') return true;
  return better.has(measure) ? false : undefined;
}

/** Returns formatters for the values of each measure; the short form is for axes. */
export function useMeasures() {
  const format = useFormat();
  return useMemo(() => {
    const long: Readonly<Record<Unit, (value: number | null) => string>> = {
      points: format.points,
      count: format.number,
      share: (value) => format.percent(value, 1),
      time: format.duration,
    };
    return {
      show: (measure: Measure, value: number | null): string => long[units[measure]](value),
      short: (measure: Measure) => (units[measure] === 'count' ? format.compact : long[units[measure]]),
      of: (measure: Measure, figures: CallFigures): string => long[units[measure]](figures[measure]),
    };
  }, [format]);
}

const formats: Readonly<Record<TimeStep, Intl.DateTimeFormatOptions>> = {
  hour: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { month: 'short', day: 'numeric' },
  week: { month: 'short', day: 'numeric' },
  month: { year: 'numeric', month: 'short' },
};

/**
 * Returns the labels of the time steps. Like the server, it uses the current UTC offset for all of them,
 * regardless of daylight saving.
 */
export function useStepLabels({ step = 'day', utc_offset = 0 }: Question, steps: readonly number[]): string[] {
  const language = useLanguage();
  const format = new Intl.DateTimeFormat(languageTags[language], { ...formats[step], timeZone: 'UTC' });
  return steps.map((start) => format.format((start + utc_offset * 60) * 1000));
}

/** Returns a function that names a value: its own name, or a translation for fixed and empty values. */
export function useValueName(): (dimension: Dimension, value: NamedValue) => string {
  const { t } = useTranslation('analytics');
  return useCallback(
    (dimension, { key, name }) => {
      if (dimension === 'status') return t(key === 'error' ? 'value.error' : 'value.answered');
      if (dimension === 'stream') return t(key === 'true' ? 'value.streamed' : 'value.whole');
      if (key === '' || key === '0') return t(`none.${dimension}`);
      return name === key && /^\d+$/.test(key) && dimension !== 'model' ? `#${key}` : name;
    },
    [t],
  );
}
