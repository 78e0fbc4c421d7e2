import type { Language } from '@switchyard/contract/accounts/account-fields';
import type { Statement } from '@switchyard/contract/billing/statements';
import { toPoints } from '@switchyard/contract/money';
import type { Context } from '../../context.ts';
import { type DocumentTexts, documentTexts } from '../../locales/server-texts.ts';
import { type PdfColumn, type PdfDocument, type PdfTable, toPrintable } from '../pdf-documents/pdf-documents.ts';
import { buildSharedParts, createDocumentFormat, type DocumentFormat } from './document-issuer-and-format.ts';
import { parseMonth } from './list-statements.ts';

/** Models in the table; the others are summed up: a user may invent names under a wildcard. */
const MODELS_MAX = 200;

type Sums = Omit<Statement['models'][number], 'date' | 'model_name'>;

interface Parts {
  statement: Statement;
  texts: DocumentTexts;
  format: DocumentFormat;
  /** Formats points as money. */
  worth: (points: number) => string;
}

export function buildStatementDocument(
  ctx: Pick<Context, 'settings'>,
  statement: Statement,
  language: Language,
): PdfDocument {
  const texts = documentTexts[language];
  const format = createDocumentFormat(language);
  const worth = (points: number): string => format.money(points / ctx.settings.quotaPerUnit, 'USD');
  const parts = { statement, texts, format, worth };
  const { username, display_name, email, number, date, final, generated_at } = statement;
  const month = format.month(parseMonth(date).from);
  return {
    ...buildSharedParts(ctx, language),
    createdAt: generated_at,
    title: texts.statement,
    facts: [
      [texts.number, number],
      [texts.month, final ? month : `${month} (${texts.running})`],
      [texts.made, format.day(generated_at)],
      [texts.account, formatUserName(display_name, username)],
      ...(email === '' ? [] : [[texts.email, toPrintable(email)] as const]),
    ],
    tables: [
      buildBalanceTable(parts),
      ...(statement.models.length === 0 ? [] : [buildModelTable(parts)]),
      ...(statement.payments.length === 0 ? [] : [buildPaymentTable(parts)]),
    ],
  };
}

export function formatUserName(displayName: string, username: string): string {
  return displayName === '' || displayName === username
    ? toPrintable(username)
    : `${toPrintable(displayName)} (${toPrintable(username)})`;
}

function buildBalanceTable({ statement, texts, format, worth }: Parts): PdfTable {
  const line = (name: string, points: number): string[] => [name, format.number(points), worth(points)];
  const moved = Object.entries(statement.movements) as [keyof Statement['movements'], number][];
  return {
    heading: texts.summary,
    columns: [text(texts.description, 5), figure(texts.points, 3), figure(texts.amount, 3)],
    rows: [
      line(texts.opening, statement.opening),
      ...moved.filter(([, points]) => points !== 0).map(([name, points]) => line(texts.movements[name], points)),
    ],
    total: line(texts.closing, statement.closing),
  };
}

function buildModelTable({ statement: { models, movements }, texts, format, worth }: Parts): PdfTable {
  const seconds = (ms: number): string => format.number(Math.round(ms / 1000));
  const counts = (sums: Sums): string[] => [
    format.number(sums.request_count),
    format.number(sums.prompt_tokens),
    format.number(sums.completion_tokens),
    seconds(sums.request_time),
  ];
  const line = (name: string, sums: Sums): string[] => [
    name,
    ...counts(sums),
    format.number(sums.quota),
    worth(sums.quota),
  ];
  const others = models.slice(MODELS_MAX);
  return {
    heading: texts.models,
    columns: [
      text(texts.model, 5),
      figure(texts.requests, 2),
      figure(texts.tokensIn, 2.4),
      figure(texts.tokensOut, 2.4),
      figure(texts.seconds, 2),
      figure(texts.points, 2.6),
      figure(texts.amount, 3.4),
    ],
    rows: [
      ...models
        .slice(0, MODELS_MAX)
        .map((model) => line(model.model_name === '' ? texts.unexplained : toPrintable(model.model_name), model)),
      ...(others.length === 0 ? [] : [line(texts.otherModels, sumModels(others))]),
    ],
    total: [
      texts.total,
      ...counts(sumModels(models)),
      format.number(0 - movements.charges),
      worth(0 - movements.charges),
    ],
  };
}

function sumModels(models: readonly Sums[]): Sums {
  const sum = (of: (model: Sums) => number): number => models.reduce((all, model) => all + of(model), 0);
  return {
    request_count: sum((model) => model.request_count),
    prompt_tokens: sum((model) => model.prompt_tokens),
    completion_tokens: sum((model) => model.completion_tokens),
    request_time: sum((model) => model.request_time),
    quota: toPoints(sum((model) => model.quota)),
  };
}

function buildPaymentTable({ statement: { payments }, texts, format }: Parts): PdfTable {
  return {
    heading: texts.payments,
    columns: [
      text(texts.paidAt, 4),
      text(texts.order, 5),
      figure(texts.paid, 3),
      figure(texts.refunded, 3),
      figure(texts.points, 3),
    ],
    rows: payments.map(({ paid_at, trade_no, amount, refunded, currency, quota }) => [
      format.moment(paid_at),
      toPrintable(trade_no),
      format.money(amount, currency),
      format.money(refunded, currency),
      format.number(quota),
    ]),
  };
}

const text = (head: string, width: number): PdfColumn => ({ head, width, align: 'left' });
const figure = (head: string, width: number): PdfColumn => ({ head, width, align: 'right' });
