import type { Statement } from '@switchyard/contract/statements';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../ui/mono.tsx';
import { useFormat } from '../../ui/use-format.ts';
import { SheetTable } from './sheet-table.tsx';

interface OfStatement {
  statement: Statement;
}

const movements = ['charges', 'top_ups', 'refunds', 'gifts', 'adjustments'] as const;

/** From what was there over what moved to what is left. */
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
      heads={[t('description'), t('points'), t('amount')]}
      texts={1}
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
      heads={[t('model'), t('requests'), t('tokensIn'), t('tokensOut'), t('points'), t('amount')]}
      texts={1}
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
  if (payments.length === 0) return null;
  return (
    <SheetTable
      title={t('payments')}
      heads={[t('paidAt'), t('order'), t('paid'), t('refunded'), t('points')]}
      texts={2}
      rows={payments.map(({ trade_no, paid_at, amount, refunded, currency, quota }) => ({
        key: trade_no,
        cells: [
          format.moment(paid_at),
          <Mono key="order">{trade_no}</Mono>,
          format.money(amount, currency),
          format.money(refunded, currency),
          format.number(quota),
        ],
      }))}
    />
  );
}
