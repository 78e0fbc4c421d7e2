import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Statement } from '@switchyard/contract/billing/statements';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useUtcFormat } from './use-utc-format.ts';

interface OfStatement {
  statement: Statement;
}

const movements = ['charges', 'top_ups', 'refunds', 'gifts', 'adjustments'] as const;

/** Shows the opening balance, the changes by kind and the closing balance. */
export function BalanceTable({ statement }: OfStatement) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const line = (name: string, points: number) => ({
    key: name,
    cells: [name, format.number(points), format.points(points)],
  });
  const moved = movements.filter((name) => statement.movements[name] !== 0);
  return (
    <SheetTable
      title={t('balance')}
      columns={[{ head: t('description') }, { head: t('points'), figure: true }, { head: t('amount'), figure: true }]}
      rows={[
        line(t('opening'), statement.opening),
        ...moved.map((name) => line(t(`movement.${name}`), statement.movements[name])),
      ]}
      total={line(t('closing'), statement.closing)}
    />
  );
}

export function ModelTable({ statement: { models, movements: moved } }: OfStatement) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  if (models.length === 0) return null;
  const sum = (of: (model: Statement['models'][number]) => number) =>
    format.number(models.reduce((all, model) => all + of(model), 0));
  return (
    <SheetTable
      title={t('byModel')}
      columns={[
        { head: t('model') },
        { head: t('requests'), figure: true },
        { head: t('tokensIn'), figure: true, wideOnly: true },
        { head: t('tokensOut'), figure: true, wideOnly: true },
        { head: t('points'), figure: true, wideOnly: true },
        { head: t('amount'), figure: true },
      ]}
      rows={models.map(({ model_name, request_count, prompt_tokens, completion_tokens, quota }) => ({
        key: model_name,
        cells: [
          model_name === '' ? t('unexplained') : <Mono key="model">{model_name}</Mono>,
          format.number(request_count),
          format.number(prompt_tokens),
          format.number(completion_tokens),
          format.number(quota),
          format.points(quota),
        ],
      }))}
      total={{
        key: 'total',
        cells: [
          t('total'),
          sum((model) => model.request_count),
          sum((model) => model.prompt_tokens),
          sum((model) => model.completion_tokens),
          format.number(0 - moved.charges),
          format.points(0 - moved.charges),
        ],
      }}
    />
  );
}

export function PaymentTable({ statement: { payments } }: OfStatement) {
  const { t } = useTranslation('statements');
  const format = useFormat();
  const { moment } = useUtcFormat();
  if (payments.length === 0) return null;
  return (
    <SheetTable
      title={t('payments')}
      columns={[
        { head: t('paidAt') },
        { head: t('order'), wideOnly: true },
        { head: t('paid'), figure: true },
        { head: t('refunded'), figure: true },
        { head: t('points'), figure: true, wideOnly: true },
      ]}
      rows={payments.map(({ trade_no, paid_at, amount, refunded, currency, quota }) => ({
        key: trade_no,
        cells: [
          moment(paid_at),
          <Mono key="order">{trade_no}</Mono>,
          format.money(amount, currency),
          format.money(refunded, currency),
          format.number(quota),
        ],
      }))}
    />
  );
}

interface SheetColumn {
  head: string;
  figure?: true;
  /** True if a phone hides the column. */
  wideOnly?: true;
}

interface SheetRow {
  key: string;
  cells: readonly ReactNode[];
}

interface SheetTableProps {
  title: string;
  columns: readonly SheetColumn[];
  rows: readonly SheetRow[];
  total?: SheetRow;
}

/** Renders a table in the style of a printed statement. */
function SheetTable({ title, columns, rows, total }: SheetTableProps) {
  const titleId = useId();
  const drawn = ({ key, cells }: SheetRow) => (
    <tr key={key}>
      {columns.map((column, index) => (
        <Box component="td" key={column.head} sx={styleOf(column)}>
          {cells[index]}
        </Box>
      ))}
    </tr>
  );
  return (
    <Box component="section" sx={{ mt: 3 }}>
      <Typography id={titleId} variant="h3" component="h2" sx={{ mb: 1 }}>
        {title}
      </Typography>
      <Box sx={{ overflowX: 'auto' }}>
        <Box component="table" aria-labelledby={titleId} sx={tableStyle}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Box component="th" scope="col" key={column.head} sx={styleOf(column)}>
                  {column.head}
                </Box>
              ))}
            </tr>
          </thead>
          <tbody>{rows.map(drawn)}</tbody>
          {total !== undefined && (
            <Box component="tfoot" sx={{ fontWeight: 600 }}>
              {drawn(total)}
            </Box>
          )}
        </Box>
      </Box>
    </Box>
  );
}

function styleOf({ figure, wideOnly }: SheetColumn) {
  return {
    textAlign: figure === true ? 'end' : 'start',
    ...(figure === true ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' }),
    ...(wideOnly === true
      ? { display: { xs: 'none', sm: 'table-cell' }, '@media print': { display: 'table-cell' } }
      : {}),
  } as const;
}

const tableStyle = {
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: '0.8125rem',
  fontVariantNumeric: 'tabular-nums',
  '& th': { fontWeight: 500, color: 'text.secondary' },
  '& th, & td': { py: 0.75, pr: 1.5, borderBottom: 1, borderColor: 'divider', verticalAlign: 'top' },
  '& th:last-of-type, & td:last-of-type': { pr: 0 },
} as const;
