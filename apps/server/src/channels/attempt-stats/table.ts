import { type Generated, sql } from 'kysely';

export const KEPT_DAYS = 90;

/** Upper bounds of the histogram of milliseconds to the first content. */
export const firstContentBounds = [250, 500, 1_000, 1_500, 2_000, 3_000, 5_000, 8_000, 13_000, 20_000, 40_000] as const;
export const firstContentColumns = [
  ...firstContentBounds.map((bound) => `within_${bound}` as const),
  'within_inf',
] as const;
/** Columns of upstream error kinds that are not the request's fault. */
export const failureColumns = [
  'rate_limited',
  'out_of_credit',
  'unauthorised',
  'overloaded',
  'unreachable',
  'garbled',
] as const;

/** Sum of the failures of one row. */
export const failedSum = sql<number>`${sql.join(
  failureColumns.map((column) => sql.ref(column)),
  sql` + `,
)}`;

export type CountColumn = 'answered' | (typeof failureColumns)[number] | (typeof firstContentColumns)[number];
export const countColumns: readonly CountColumn[] = ['answered', ...failureColumns, ...firstContentColumns];

/** Attempts of an hour on one channel's model. */
export type ChannelHourTable = {
  channel_id: number;
  /** Model as the channel lists it: names that only a `prefix*` covers are counted together. */
  model: string;
  /** Hours since 1970. */
  hour: number;
} & Record<CountColumn, Generated<number>>;
