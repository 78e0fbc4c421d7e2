/** The rows of the table: values, or steps of time where nothing is split. */
import type { Analysis, CallFigures, Measure } from '@switchyard/contract/usage/analytics';
import { relativeChange } from '../../../ui/charts/change.tsx';
import type { Question } from './queries.ts';
import { logSearch } from './question.ts';

export interface AnalysisRow {
  id: string;
  name: string;
  /** Steps are sorted by their time, values by their names. */
  place: string | number;
  current: CallFigures;
  /** Null for a step: what it is compared with is in the chart. */
  before: CallFigures | null;
  /** Filter of the log for the row's calls, where one exists. */
  log: Record<string, string> | undefined;
  /** The value's key; undefined for steps and for all others together. */
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
