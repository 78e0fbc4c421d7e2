/** Reads the analytics question from the URL and builds links to the usage records behind a result. */
import {
  type Dimension,
  dimensions,
  type Measure,
  measures,
  STEPS_MAX,
  type TimeStep,
  timeSteps,
  valueList,
} from '@switchyard/contract/usage/analytics';
import { type TimeTexts, timeFilter } from '../../../ui/filters/time-presets.ts';
import { oneOf } from '../../../ui/table/url-list-state.ts';
import type { Question } from './queries.ts';

const usualTime = '30d';
export const defaultMeasure: Measure = 'charged';
export const defaultSplit: Dimension = 'model';
/** URL value that turns off the split by a dimension. */
export const NO_SPLIT = 'none';
export const tops = [5, 10, 20, 50] as const;
const USUAL_TOP = 10;

/** URL parameters that filter the calls. */
export const filterNames = ['time', 'start_timestamp', 'end_timestamp', ...dimensions] as const;
export type FilterName = (typeof filterNames)[number];
type Texts = Readonly<Record<string, string | undefined>>;

const HOUR = 3_600;
const DAY = 24 * HOUR;
const lengths: Readonly<Record<TimeStep, number>> = { hour: HOUR, day: DAY, week: 7 * DAY, month: 28 * DAY };
const SHORT = 2 * DAY;
const LONG = 120 * DAY;

/** Returns the question in the URL. Invalid values are left out, so that a mistyped link still works. */
export function questionOf(texts: Texts, now = new Date()): Question {
  const period = periodOf(texts, now);
  const filters = dimensions.flatMap((name) => {
    const values = valuesOf(texts[name]);
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return {
    ...period,
    utc_offset: -now.getTimezoneOffset(),
    step: stepOf(texts['step'], period),
    split: splitOf(texts['split']),
    measure: oneOf(texts['measure'], measures) ?? defaultMeasure,
    top: tops.find((top) => String(top) === texts['top']) ?? USUAL_TOP,
    ...Object.fromEntries(filters),
  };
}

function splitOf(text: string | undefined): Dimension | undefined {
  return text === NO_SPLIT ? undefined : (oneOf(text, dimensions) ?? defaultSplit);
}

/** Returns the time in the URL, or the default of thirty days. */
export function timeOf({ time, start_timestamp, end_timestamp }: TimeTexts): TimeTexts {
  const isGiven = time !== undefined || start_timestamp !== undefined || end_timestamp !== undefined;
  return isGiven ? { time, start_timestamp, end_timestamp } : { time: usualTime };
}

function periodOf(texts: Texts, now: Date) {
  const { time, start_timestamp, end_timestamp } = texts;
  const chosen = timeFilter(timeOf({ time, start_timestamp, end_timestamp }), now);
  const end = chosen.end_timestamp ?? Math.floor(now.getTime() / 1000);
  return { start_timestamp: Math.max(0, chosen.start_timestamp ?? end - 30 * DAY), end_timestamp: end };
}

/** Returns the steps that do not divide the time into too many parts. */
export function stepsFor({ start_timestamp, end_timestamp }: Pick<Question, 'start_timestamp' | 'end_timestamp'>) {
  const length = end_timestamp - start_timestamp;
  return timeSteps.filter((step) => length / lengths[step] < STEPS_MAX - 2);
}

function stepOf(text: string | undefined, period: Pick<Question, 'start_timestamp' | 'end_timestamp'>): TimeStep {
  const length = period.end_timestamp - period.start_timestamp;
  const usual = length <= SHORT ? 'hour' : length <= LONG ? 'day' : 'month';
  return oneOf(text, stepsFor(period)) ?? usual;
}

/** Returns the values of a filter in the URL; none for an invalid text. */
export function valuesOf(text: string | undefined): string[] {
  return valueList.safeParse(text ?? '').data ?? [];
}

export function textOf(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : valueList.encode([...values]);
}

/** URL parameter of the usage records for each dimension by which they can be filtered. */
const logFilters: Partial<Record<Dimension, string>> = {
  model: 'model_name',
  channel: 'channel_id',
  group: 'group',
  user: 'user_id',
  token: 'token_id',
  stream: 'is_stream',
};

/**
 * Returns the usage records' URL parameters for the calls of a question or of one value. Returns undefined
 * where no such filter exists: it supports one value of each dimension, and neither owners nor empty values.
 */
export function logSearch(
  question: Question,
  value?: { dimension: Dimension; key: string },
): Record<string, string> | undefined {
  const search: Record<string, string> = {
    start_timestamp: String(question.start_timestamp),
    end_timestamp: String(question.end_timestamp),
  };
  for (const dimension of dimensions) {
    const [key, ...more] = value?.dimension === dimension ? [value.key] : (question[dimension] ?? []);
    if (key === undefined) continue;
    const name = logFilters[dimension];
    if (dimension === 'status') search['log_type'] = key === 'error' ? 'error' : 'consume';
    else if (name === undefined || key === '' || key === '0') return undefined;
    else search[name] = key;
    if (more.length > 0) return undefined;
  }
  return search;
}
