/** Answers any question about usage out of packed hours of calls, and out of the records where an hour is not over. */

import type { RouteInput } from '@switchyard/contract/route';
import {
  type Analysis,
  type analytics,
  type Dimension,
  dimensions,
  LINES_MAX,
  STEPS_MAX,
} from '@switchyard/contract/usage/analytics';
import type { Context } from '../../context.ts';
import type { CoarseField, SliceQuestion, SliceSource, SummedRow } from '../../db/slices/slices.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import { type Period, periodOf, stepsOf } from './analysis-periods.ts';
import { nameValues } from './names.ts';
import { ownersOf } from './owners.ts';
import { packedHours } from './summarise-hours.ts';

export { packHours, summariseHours } from './summarise-hours.ts';

export type Question = RouteInput<(typeof analytics)['ask']>['query'];

const HOUR = 3_600;

/** @throws AppError for a time that ends before it begins, or has too many steps */
export async function analyse(ctx: Context, question: Question): Promise<Analysis> {
  const period = readPeriod(ctx, question);
  const steps = readSteps(period, question);
  const hours = await hoursWith(ctx, period, onlyField(question));
  const asked = await withOwners(ctx, hours.source, period, question);
  const ranking = await ctx.db.sumSlices({
    kind: 'rank',
    source: hours.source,
    question: { ...asked, steps: [period.from], measureOnly: false },
    rows: question.top,
  });
  const keys = ranking.rows.slice(0, LINES_MAX).map(({ key }) => key);
  const measureOnly = question.split !== undefined;
  const lines = await ctx.db.sumSlices({
    kind: 'lines',
    source: hours.source,
    question: { ...asked, steps, keys, measureOnly },
  });
  const hasOthers = ranking.rows.length > keys.length || ranking.otherValues > 0;
  return {
    steps,
    total: figuresOf(ranking.total),
    by_step: lines.steps,
    total_line: lines.total,
    total_line_before: lines.totalBefore,
    rows: await named(ctx, question.split, ranking.rows),
    others: ranking.otherValues === 0 ? null : { ...figuresOf(ranking.others), values: ranking.otherValues },
    lines: lines.lines,
    others_line: hasOthers ? lines.others : null,
    filtered: await nameFilters(ctx, question),
    complete_until: hours.missingFrom,
  };
}

/** Costs and margins of the models that were called in a time, the highest margins first. @param most models */
export async function rankMargins(ctx: Context, start: number, most: number): Promise<SummedRow[]> {
  const { from, to, length } = periodOf(start, nowSeconds(ctx.clock), nowSeconds(ctx.clock));
  const { source } = await packedHours(ctx, { from: from - (from % HOUR), to }, 'model');
  const ranking = await ctx.db.sumSlices({
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

function readPeriod({ clock }: Context, { start_timestamp, end_timestamp }: Question): Period {
  if (start_timestamp > end_timestamp)
    throw fieldError('end_timestamp', 'before-start', 'The end of the period is before its start');
  return periodOf(start_timestamp, end_timestamp, nowSeconds(clock));
}

function readSteps(period: Period, { step, utc_offset }: Question): number[] {
  const steps = stepsOf(period, step, utc_offset, STEPS_MAX);
  if (steps.length > STEPS_MAX)
    throw fieldError(
      'step',
      'too-many-steps',
      `The period has more than ${STEPS_MAX} steps. Use larger steps.`,
    );
  return steps;
}

function hoursWith(ctx: Context, { from, to, length }: Period, field: CoarseField | undefined) {
  const first = Math.max(0, from - length);
  return packedHours(ctx, { from: first - (first % HOUR), to }, field);
}

/** Every slice tells its errors from what was answered. */
const fieldsOf: Readonly<Record<Exclude<Dimension, 'status'>, CoarseField>> = {
  model: 'model',
  owner: 'model',
  channel: 'channel',
  group: 'group',
  user: 'user',
  token: 'key',
  stream: 'isStream',
};

/** Returns the only field that a question is about; undefined when there are several. */
function onlyField(question: Question): CoarseField | undefined {
  const filters = filtersOf(question);
  const isAskedAbout = (name: Dimension): boolean => name === question.split || filters[name] !== undefined;
  const names = dimensions.filter((name) => name !== 'status').filter(isAskedAbout);
  const [field = 'isStream', ...others] = new Set(names.map((name) => fieldsOf[name]));
  return others.length === 0 ? field : undefined;
}

type Asked = Omit<SliceQuestion, 'steps' | 'keys' | 'measureOnly'>;

/** Calls do not know who owns their model; that is looked up for all models of the time. */
async function withOwners(
  ctx: Context,
  source: SliceSource,
  period: Period,
  question: Question,
): Promise<Asked> {
  const { split, measure } = question;
  const asked = { end: period.to, shift: period.length, split, measure, filters: filtersOf(question) };
  if (split !== 'owner' && question.owner === undefined) return asked;
  const models = await ctx.db.sumSlices({ kind: 'models', source });
  return { ...asked, owners: await ownersOf(ctx, models) };
}

function filtersOf(question: Question): Partial<Record<Dimension, readonly string[]>> {
  const set = dimensions.map((name) => [name, question[name]] as const);
  return Object.fromEntries(set.filter(([, values]) => values !== undefined && values.length > 0));
}

const figuresOf = ({ current, before }: SummedRow) => ({ current, before });

async function named(
  ctx: Context,
  split: Dimension | undefined,
  rows: readonly SummedRow[],
): Promise<Analysis['rows']> {
  if (split === undefined) return [];
  const names = await nameValues(
    ctx,
    split,
    rows.map(({ key }) => key),
  );
  return rows.map((row, at) => ({ key: row.key, name: names[at]?.name ?? '', ...figuresOf(row) }));
}

async function nameFilters(ctx: Context, question: Question): Promise<Analysis['filtered']> {
  const filters = Object.entries(filtersOf(question)) as [Dimension, readonly string[]][];
  const named = filters.map(async ([name, values]) => [name, await nameValues(ctx, name, values)] as const);
  return Object.fromEntries(await Promise.all(named));
}
