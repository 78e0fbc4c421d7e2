/** Exports analytics as a table for spreadsheets, like the table below the chart. */
import { type CallFigures, measures } from '@switchyard/contract/usage/analytics';
import type { Context } from '../../context.ts';
import { formatCsvLine, formatCsvTime, queueExport } from '../../platform/csv.ts';
import { type AnalysisQuery, analyzeUsage } from './analytics.ts';

const columns = [...measures, 'costed'] as const;

/**
 * Exports an analysis as CSV: with a split one line for each value, otherwise for each step. Amounts are points,
 * times milliseconds.
 * @throws AppError `too-many-requests` while another export of the user runs
 */
export function exportAnalysis(ctx: Context, question: AnalysisQuery): Promise<string> {
  return queueExport(ctx, async () => {
    const { split } = question;
    const { rows, others, total, steps, by_step } = await analyzeUsage(ctx, question);
    const before = columns.map((name) => `${name}_before`);
    const whole = ['', 'total', ...cells(total.current), ...cells(total.before)];
    if (split === undefined)
      return [
        formatCsvLine(['time', ...columns]),
        ...by_step.map((figures, at) => formatCsvLine([formatCsvTime(steps[at] ?? null), ...cells(figures)])),
        formatCsvLine(['total', ...cells(total.current)]),
      ].join('');
    return [
      formatCsvLine([split, 'name', ...columns, ...before]),
      ...rows.map((row) => formatCsvLine([row.key, row.name, ...cells(row.current), ...cells(row.before)])),
      ...(others === null
        ? []
        : [formatCsvLine(['', `others (${others.values})`, ...cells(others.current), ...cells(others.before)])]),
      formatCsvLine(whole),
    ].join('');
  });
}

const cells = (figures: CallFigures): (string | number)[] => columns.map((name) => figures[name] ?? '');
