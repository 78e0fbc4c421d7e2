/** An answer as a table for spreadsheets: what the screen shows below the chart. */
import { type CallFigures, measures } from '@switchyard/contract/usage/analytics';
import type { Context } from '../../context.ts';
import { csvLine, csvTime, exportInTurn } from '../../platform/csv.ts';
import { analyse, type Question } from './analytics.ts';

const columns = [...measures, 'costed'] as const;

/**
 * Exports an analysis as CSV: with a split one line for each value, otherwise for each step. Amounts are points, times
 * milliseconds.
 * @throws AppError `too-many-requests` while another export of the user runs
 */
export function exportAnalysis(ctx: Context, question: Question): Promise<string> {
  return exportInTurn(ctx, async () => {
    const { split } = question;
    const { rows, others, total, steps, by_step } = await analyse(ctx, question);
    const before = columns.map((name) => `${name}_before`);
    const whole = ['', 'total', ...cells(total.current), ...cells(total.before)];
    if (split === undefined)
      return [
        csvLine(['time', ...columns]),
        ...by_step.map((figures, at) => csvLine([csvTime(steps[at] ?? null), ...cells(figures)])),
        csvLine(['total', ...cells(total.current)]),
      ].join('');
    return [
      csvLine([split, 'name', ...columns, ...before]),
      ...rows.map((row) => csvLine([row.key, row.name, ...cells(row.current), ...cells(row.before)])),
      ...(others === null
        ? []
        : [csvLine(['', `others (${others.values})`, ...cells(others.current), ...cells(others.before)])]),
      csvLine(whole),
    ].join('');
  });
}

const cells = (figures: CallFigures): (string | number)[] => columns.map((name) => figures[name] ?? '');
