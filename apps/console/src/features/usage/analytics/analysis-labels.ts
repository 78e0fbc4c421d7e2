import type { CallFigures, Measure } from '@switchyard/contract/usage/analytics';
import { useMemo } from 'react';
import { useFormat } from '../../../ui/format/use-format.ts';

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

/** More of these is worse, of these better; of the others neither. */
const worse: ReadonlySet<Measure> = new Set(['cost', 'errors', 'error_rate']);
const better: ReadonlySet<Measure> = new Set(['charged', 'margin']);

export function isMoreWorse(measure: Measure): boolean | undefined {
  if (worse.has(measure) || units[measure] === 'time') return true;
  return better.has(measure) ? false : undefined;
}

/** Returns the format of each measure's values; the short form is for axes. */
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
