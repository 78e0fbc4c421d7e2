/** A statement as one table: what its lines are is in the first column. */
import type { Statement } from '@switchyard/contract/billing/statements';
import { csvLine, csvTime } from '../../platform/csv.ts';

const heads = [
  'section',
  'name',
  'time',
  'request_count',
  'prompt_tokens',
  'completion_tokens',
  'request_time_ms',
  'quota',
  'amount',
  'refunded',
  'currency',
] as const;

type Line = Partial<Record<(typeof heads)[number], string | number>>;

export function statementCsv(statement: Statement): string {
  const { number, opening, closing, movements, models, payments } = statement;
  const lines: readonly Line[] = [
    { section: 'opening', name: number, quota: opening },
    ...Object.entries(movements).map(([name, quota]) => ({ section: 'movement', name, quota })),
    { section: 'closing', name: number, quota: closing },
    ...models.map(({ model_name: name, date: _month, request_time, ...sums }) => ({
      section: name === '' ? 'unexplained' : 'model',
      name,
      request_time_ms: request_time,
      ...sums,
    })),
    ...payments.map(({ trade_no: name, paid_at, ...payment }) => ({
      section: 'payment',
      name,
      time: csvTime(paid_at),
      ...payment,
    })),
  ];
  return [csvLine(heads), ...lines.map((line) => csvLine(heads.map((head) => line[head] ?? '')))].join('');
}
