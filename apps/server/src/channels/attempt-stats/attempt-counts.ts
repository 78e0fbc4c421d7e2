/**
 * Counts the outcomes of attempts per hour, channel and model. Counts are written periodically; a process that dies
 * loses those since the last write.
 */
import type { UpstreamErrorKind } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { type CountColumn, countColumns, firstContentBounds } from './table.ts';

export interface AttemptCounter {
  /** @param firstContentMs 0 without content to wait for */
  countSuccess(channel: CountedChannel, model: string, firstContentMs: number): void;
  /** Counts a failure, unless the request itself is at fault. */
  countFailure(channel: CountedChannel, model: string, kind: UpstreamErrorKind): void;
  /** Adds the counts to the table. Counts that cannot be written stay in memory for the next write. */
  write(): Promise<void>;
}

interface CountedChannel {
  id: number;
  /** A name may end with `*`. */
  models: readonly string[];
}

interface HourCounts {
  channel_id: number;
  model: string;
  hour: number;
  counts: Partial<Record<CountColumn, number>>;
}

export const HOUR_MS = 3_600_000;
/** Maximum number of counters between two writes: channels times their listed models, of one or two hours. */
const COUNTED_MAX = 50_000;
const ROWS_AT_ONCE = 200;

const columnByErrorKind: Readonly<Partial<Record<UpstreamErrorKind, CountColumn>>> = {
  'rate-limited': 'rate_limited',
  'out-of-credit': 'out_of_credit',
  unauthorised: 'unauthorised',
  overloaded: 'overloaded',
  unreachable: 'unreachable',
  garbled: 'garbled',
};

function createAttemptCounter({ db, clock }: Pick<Context, 'db' | 'clock'>): AttemptCounter {
  let counted = new Map<string, HourCounts>();

  const add = (key: Omit<HourCounts, 'counts'>, columns: readonly CountColumn[], by: readonly number[] = []): void => {
    const name = `${key.channel_id} ${key.hour} ${key.model}`;
    const known = counted.get(name);
    if (known === undefined && counted.size >= COUNTED_MAX) return;
    const counts: HourCounts['counts'] = known?.counts ?? {};
    for (const [at, column] of columns.entries()) counts[column] = (counts[column] ?? 0) + (by[at] ?? 1);
    if (known === undefined) counted.set(name, { ...key, counts });
  };
  const keyOf = (channel: CountedChannel, model: string): Omit<HourCounts, 'counts'> => ({
    channel_id: channel.id,
    model: findListedModel(channel.models, model),
    hour: Math.floor(clock.now() / HOUR_MS),
  });

  return {
    countSuccess(channel, model, firstContentMs) {
      const columns: CountColumn[] =
        firstContentMs > 0 ? ['answered', findLatencyColumn(firstContentMs)] : ['answered'];
      add(keyOf(channel, model), columns);
    },
    countFailure(channel, model, kind) {
      const column = columnByErrorKind[kind];
      if (column !== undefined) add(keyOf(channel, model), [column]);
    },
    async write() {
      if (counted.size === 0) return;
      const rows = [...counted.values()];
      counted = new Map();
      let written = 0;
      try {
        for (; written < rows.length; written += ROWS_AT_ONCE)
          await addRows(db, rows.slice(written, written + ROWS_AT_ONCE));
      } catch (error) {
        for (const { counts, ...key } of rows.slice(written)) {
          const columns = countColumns.filter((column) => counts[column] !== undefined);
          add(
            key,
            columns,
            columns.map((column) => counts[column] ?? 0),
          );
        }
        throw error;
      }
    },
  };
}

function addRows(db: Context['db'], rows: readonly HourCounts[]): Promise<unknown> {
  return db.writer
    .insertInto('channel_hour')
    .values(rows.map(({ counts, ...key }) => ({ ...key, ...zeros, ...counts })))
    .onConflict((conflict) =>
      conflict
        .columns(['channel_id', 'hour', 'model'])
        .doUpdateSet((eb) =>
          Object.fromEntries(
            countColumns.map((column) => [column, eb(`channel_hour.${column}`, '+', eb.ref(`excluded.${column}`))]),
          ),
        ),
    )
    .execute();
}

const zeros = Object.fromEntries(countColumns.map((column) => [column, 0]));

/**
 * Returns the listed model that covers a name, so that arbitrary client names under a `prefix*` do not grow the
 * table.
 */
function findListedModel(models: readonly string[], model: string): string {
  if (models.includes(model)) return model;
  const covers = models.filter((name) => name.endsWith('*') && model.startsWith(name.slice(0, -1)));
  return covers.toSorted((a, b) => b.length - a.length)[0] ?? '*';
}

function findLatencyColumn(firstContentMs: number): CountColumn {
  const bound = firstContentBounds.find((one) => firstContentMs <= one);
  return bound === undefined ? 'within_inf' : `within_${bound}`;
}

const counters = new WeakMap<Context, AttemptCounter>();

/** Returns the counter of this server. */
export function getAttemptCounter(ctx: Context): AttemptCounter {
  const known = counters.get(ctx) ?? createAttemptCounter(ctx);
  counters.set(ctx, known);
  return known;
}
