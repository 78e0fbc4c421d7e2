import type { Dashboard, Figures } from '@switchyard/contract/dashboard';
import type { Series } from '../../ui/charts/series.ts';

const DAY_MS = 86_400_000;

export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];
export const usualPeriod: Period = 7;

type Day = Dashboard['days'][number];
export type Measure = (day: Day) => number;

export const measures = {
  spend: (day: Day) => day.quota,
  requests: (day: Day) => day.requests,
  tokens: (day: Day) => day.prompt_tokens + day.completion_tokens,
} satisfies Record<string, Measure>;

/** The period's dates as YYYY-MM-DD by the viewer's calendar, today last. */
export function datesOf(days: number, now: Date): string[] {
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** UTC seconds of the midnight at which the period begins. */
export function periodStart(days: number, now: Date): number {
  return Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1).getTime() / 1000);
}

/** One value a day; a day without calls is 0. */
export function dailySums(days: readonly Day[], dates: readonly string[], measure: Measure): number[] {
  const sums = new Map(dates.map((date) => [date, 0]));
  for (const day of days) {
    const sum = sums.get(day.date);
    if (sum !== undefined) sums.set(day.date, sum + measure(day));
  }
  return [...sums.values()];
}

/** One series for each model. */
export function seriesByModel(days: readonly Day[], dates: readonly string[], measure: Measure): Series[] {
  const byModel = Map.groupBy(days, ({ model_name }) => model_name);
  return [...byModel]
    .map(([name, own]) => ({ name, values: dailySums(own, dates, measure) }))
    .filter(({ values }) => values.some((value) => value > 0));
}

export interface ModelUsage {
  model: string;
  requests: number;
  tokens: number;
  spend: number;
  /** Of everything spent, 0 to 1. */
  share: number;
}

export function usageByModel(days: readonly Day[]): ModelUsage[] {
  const total = days.reduce((sum, day) => sum + day.quota, 0);
  return [...Map.groupBy(days, ({ model_name }) => model_name)].map(([model, own]) => {
    const sum = (measure: Measure) => own.reduce((added, day) => added + measure(day), 0);
    const spend = sum(measures.spend);
    return {
      model,
      requests: sum(measures.requests),
      tokens: sum(measures.tokens),
      spend,
      share: total === 0 ? 0 : spend / total,
    };
  });
}

/** Of all calls, also those that failed; undefined when there was none. */
export function errorShare({ requests, errors }: Figures): number | undefined {
  const calls = requests + errors;
  return calls === 0 ? undefined : errors / calls;
}
