/** Rows of the analytics table: values, or time steps without a split. */
import type { Analysis, CallFigures, Measure } from '@switchyard/contract/usage/analytics';
import { relativeChange } from '../../../ui/charts/change.tsx';
import type { Question } from './queries.ts';
import { logSearch } from './question.ts';

export interface AnalysisRow {
  id: string;
  name: string;
  /** Sort key: the time of a step or the name of a value. */
  place: string | number;
  current: CallFigures;
  /** Figures of the previous period; null for a step, which the chart compares. */
  before: CallFigures | null;
  /** Filter of the usage records for the row's calls; undefined if there is none. */
  log: Record<string, string> | undefined;
  /** Key of the value; undefined for a step. */
  key: string | undefined;
}

export function rowsOf(
  question: Question,
  { rows, steps, by_step }: Analysis,
  nameOf: (row: Analysis['rows'][number]) => string,
  labels: readonly string[],
): AnalysisRow[] {
  const { split } = question;
  if (split !== undefined)
    return rows.map((row) => ({
      id: `=${row.key}`,
      name: nameOf(row),
      place: nameOf(row),
      current: row.current,
      before: row.before,
      log: logSearch(question, { dimension: split, key: row.key }),
      key: row.key,
    }));
  return by_step.map((current, at) => {
    const start = steps[at] ?? 0;
    const end = (steps[at + 1] ?? question.end_timestamp + 1) - 1;
    return {
      id: String(start),
      name: labels[at] ?? '',
      place: start,
      current,
      before: null,
      log: logSearch({ ...question, start_timestamp: start, end_timestamp: end }),
      key: undefined,
    };
  });
}

export function changeOf(measure: Measure, { current, before }: Pick<AnalysisRow, 'current' | 'before'>) {
  return relativeChange(current[measure] ?? undefined, before?.[measure] ?? undefined);
}
