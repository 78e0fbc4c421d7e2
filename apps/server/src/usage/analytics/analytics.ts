/** Analyzes usage with packed hours of calls, and with the records of hours that are not over. */

import { toPoints } from '@switchyard/contract/money';
import type { RouteInput } from '@switchyard/contract/route';
import {
  type Analysis,
  type analytics,
  type CallFigures,
  type Dimension,
  dimensions,
  LINES_MAX,
  MARGIN_DAYS,
  measures,
  type PriceMargin,
  STEPS_MAX,
} from '@switchyard/contract/usage/analytics';
import { loadPriceLookup } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';
import type { CoarseField, RankedRow, RollupQuery, RollupSource } from '../../db/rollups/run-rollup-queries.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { formatCsvLine, formatCsvTime, queueExport } from '../../platform/csv-export.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import { listSteps, type Period, toPeriod } from './analysis-periods.ts';
import { loadModelOwners, nameValues } from './dimension-value-names.ts';
import { findHourRollups } from './hour-rollups.ts';

export { updateHourRollups, writeHourRollups } from './hour-rollups.ts';

export type AnalysisQuery = RouteInput<(typeof analytics)['ask']>['query'];

const HOUR = 3_600;
const DAY = 86_400;
/** Maximum models whose margin is computed; those with the highest margin come first. */
const MARGIN_MODELS_MAX = 5_000;

/** @throws AppError for a period that ends before it begins, or has too many steps */
export async function analyzeUsage(ctx: Context, question: AnalysisQuery): Promise<Analysis> {
  const period = readPeriod(ctx, question);
  const steps = readSteps(period, question);
  const hours = await readHourRollups(ctx, period, findOnlyField(question));
  const query = await addOwners(ctx, hours.source, period, question);
  const ranking = await ctx.db.sumRollups({
    kind: 'rank',
    source: hours.source,
    question: { ...query, steps: [period.from], measureOnly: false },
    rows: question.top,
  });
  const keys = ranking.rows.slice(0, LINES_MAX).map(({ key }) => key);
  const measureOnly = question.split !== undefined;
  const lines = await ctx.db.sumRollups({
    kind: 'lines',
    source: hours.source,
    question: { ...query, steps, keys, measureOnly },
  });
  const hasOthers = ranking.rows.length > keys.length || ranking.otherValues > 0;
  return {
    steps,
    total: pickFigures(ranking.total),
    by_step: lines.steps,
    total_line: lines.total,
    total_line_before: lines.totalBefore,
    rows: await nameRows(ctx, question.split, ranking.rows),
    others: ranking.otherValues === 0 ? null : { ...pickFigures(ranking.others), values: ranking.otherValues },
    lines: lines.lines,
    others_line: hasOthers ? lines.others : null,
    filtered: await nameFilters(ctx, question),
    complete_until: hours.missingFrom,
  };
}

/**
 * Returns costs and margins of the models that were called in a period, highest margins first. @param most maximum
 * models
 */
async function rankMargins(ctx: Context, start: number, most: number): Promise<RankedRow[]> {
  const { from, to, length } = toPeriod(start, nowSeconds(ctx.clock), nowSeconds(ctx.clock));
  const { source } = await findHourRollups(ctx, { from: from - (from % HOUR), to }, 'model');
  const ranking = await ctx.db.sumRollups({
    kind: 'rank',
    source,
    question: {
      steps: [from],
      end: to,
      shift: length,
      split: 'model',
      measure: 'margin',
      measureOnly: true,
      filters: {},
    },
    rows: most,
  });
  return ranking.rows;
}

function readPeriod({ clock }: Context, { start_timestamp, end_timestamp }: AnalysisQuery): Period {
  if (start_timestamp > end_timestamp)
    throw fieldError('end_timestamp', 'before-start', 'The end of the period is before its start');
  return toPeriod(start_timestamp, end_timestamp, nowSeconds(clock));
}

function readSteps(period: Period, { step, utc_offset }: AnalysisQuery): number[] {
  const steps = listSteps(period, step, utc_offset, STEPS_MAX);
  if (steps.length > STEPS_MAX)
    throw fieldError('step', 'too-many-steps', `The period has more than ${STEPS_MAX} steps. Use larger steps.`);
  return steps;
}

function readHourRollups(ctx: Context, { from, to, length }: Period, field: CoarseField | undefined) {
  const first = Math.max(0, from - length);
  return findHourRollups(ctx, { from: first - (first % HOUR), to }, field);
}

/** Packed field of each dimension. The status has none, because every slice counts its errors separately. */
const fieldsByDimension: Readonly<Record<Exclude<Dimension, 'status'>, CoarseField>> = {
  model: 'model',
  owner: 'model',
  channel: 'channel',
  group: 'group',
  user: 'user',
  token: 'key',
  stream: 'isStream',
};

/** Returns the only field that a query is about; undefined if there are several. */
function findOnlyField(question: AnalysisQuery): CoarseField | undefined {
  const filters = readFilters(question);
  const isAskedAbout = (name: Dimension): boolean => name === question.split || filters[name] !== undefined;
  const names = dimensions.filter((name) => name !== 'status').filter(isAskedAbout);
  const [field = 'isStream', ...others] = new Set(names.map((name) => fieldsByDimension[name]));
  return others.length === 0 ? field : undefined;
}

type PartialRollupQuery = Omit<RollupQuery, 'steps' | 'keys' | 'measureOnly'>;

/** Adds the owners of all models of the period to a query that needs them. Records of calls do not contain them. */
async function addOwners(
  ctx: Context,
  source: RollupSource,
  period: Period,
  question: AnalysisQuery,
): Promise<PartialRollupQuery> {
  const { split, measure } = question;
  const query = { end: period.to, shift: period.length, split, measure, filters: readFilters(question) };
  if (split !== 'owner' && question.owner === undefined) return query;
  const models = await ctx.db.sumRollups({ kind: 'models', source });
  return { ...query, owners: await loadModelOwners(ctx, models) };
}

function readFilters(question: AnalysisQuery): Partial<Record<Dimension, readonly string[]>> {
  const set = dimensions.map((name) => [name, question[name]] as const);
  return Object.fromEntries(set.filter(([, values]) => values !== undefined && values.length > 0));
}

const pickFigures = ({ current, before }: RankedRow) => ({ current, before });

async function nameRows(
  ctx: Context,
  split: Dimension | undefined,
  rows: readonly RankedRow[],
): Promise<Analysis['rows']> {
  if (split === undefined) return [];
  const names = await nameValues(
    ctx,
    split,
    rows.map(({ key }) => key),
  );
  return rows.map((row, at) => ({ key: row.key, name: names[at]?.name ?? '', ...pickFigures(row) }));
}

async function nameFilters(ctx: Context, question: AnalysisQuery): Promise<Analysis['filtered']> {
  const filters = Object.entries(readFilters(question)) as [Dimension, readonly string[]][];
  const named = filters.map(async ([name, values]) => [name, await nameValues(ctx, name, values)] as const);
  return Object.fromEntries(await Promise.all(named));
}

/** Columns of an export, like those of the table below the chart. */
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

/**
 * Returns the recent revenue and cost by the model or pattern of the price, for users who set prices. Leaves out prices
 * that were not used or whose calls have no known cost.
 */
export async function readMargins(ctx: Context): Promise<Record<string, PriceMargin>> {
  const rows = await rankMargins(ctx, nowSeconds(ctx.clock) - MARGIN_DAYS * DAY, MARGIN_MODELS_MAX);
  const priceOf = await loadPriceLookup(ctx);
  const sums = new Map<string, PriceMargin>();
  for (const { key, current } of rows) {
    const price = priceOf(key)?.model;
    if (price === undefined || current.cost === null) continue;
    const { costed, cost } = sums.get(price) ?? { costed: 0, cost: 0 };
    sums.set(price, { costed: toPoints(costed + current.costed), cost: toPoints(cost + current.cost) });
  }
  return Object.fromEntries(sums);
}
