import type { Dashboard, Figures } from '@switchyard/contract/usage/dashboard';
import type { Series } from '../../../ui/charts/chart-series-and-colours.ts';

const DAY_MS = 86_400_000;

export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];
export const defaultPeriod: Period = 7;

type Day = Dashboard['days'][number];
export type Measure = (day: Day) => number;

export const measures = {
  spend: (day: Day) => day.quota,
  requests: (day: Day) => day.requests,
  tokens: (day: Day) => day.prompt_tokens + day.completion_tokens,
} satisfies Record<string, Measure>;

/** Returns the period's dates as YYYY-MM-DD in the browser's time zone, ending with today. */
export function datesOf(days: number, now: Date): string[] {
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Returns the local midnight at which the period starts, in UTC seconds. */
export function periodStart(days: number, now: Date): number {
  return Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1).getTime() / 1000);
}

/** Returns one value per day; 0 for a day without calls. */
export function dailySums(days: readonly Day[], dates: readonly string[], measure: Measure): number[] {
  const sums = new Map(dates.map((date) => [date, 0]));
  for (const day of days) {
    const sum = sums.get(day.date);
    if (sum !== undefined) sums.set(day.date, sum + measure(day));
  }
  return [...sums.values()];
}

/** Returns one series per model. */
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
  /** Share of the total spending, from 0 to 1. */
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

export interface DayUsage {
  /** YYYY-MM-DD in the browser's time zone. */
  date: string;
  requests: number;
  prompt: number;
  completion: number;
  /** Milliseconds; null without calls. */
  meanTime: number | null;
  spend: number;
}

/** Returns one row per day; a day without calls has zeros. */
export function usageByDay(days: readonly Day[], dates: readonly string[]): DayUsage[] {
  const [requests, prompt, completion, duration, spend] = [
    measures.requests,
    (day: Day) => day.prompt_tokens,
    (day: Day) => day.completion_tokens,
    (day: Day) => day.duration_ms,
    measures.spend,
  ].map((measure) => dailySums(days, dates, measure));
  return dates.map((date, at) => {
    const count = requests?.[at] ?? 0;
    return {
      date,
      requests: count,
      prompt: prompt?.[at] ?? 0,
      completion: completion?.[at] ?? 0,
      meanTime: count === 0 ? null : Math.round((duration?.[at] ?? 0) / count),
      spend: spend?.[at] ?? 0,
    };
  });
}

/** Returns the usage records' filter for one local day, in UTC seconds. */
export function boundsOfDate(date: string): Record<'start_timestamp' | 'end_timestamp', string> {
  const start = new Date(`${date}T00:00:00`);
  const end = new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
  return { start_timestamp: String(start.getTime() / 1000), end_timestamp: String(end.getTime() / 1000 - 1) };
}

export function tokensOf({ prompt_tokens, completion_tokens }: Figures): number {
  return prompt_tokens + completion_tokens;
}

/** Returns the share of failed calls; undefined without calls. */
export function errorShare({ requests, errors }: Figures): number | undefined {
  const calls = requests + errors;
  return calls === 0 ? undefined : errors / calls;
}
