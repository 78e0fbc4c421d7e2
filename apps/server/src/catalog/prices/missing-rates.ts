/** Records counters that providers bill and that a price has no rate for, so that an operator is notified. */
import type { MissingRate } from '@switchyard/contract/catalog/prices';
import type { Context } from '../../context.ts';
import type { UnratedCounter } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';

export interface MissingRateRecorder {
  /** Adds the counters of one call in memory. */
  add(counters: readonly UnratedCounter[]): void;
  /** Writes the counters to the table. After a failure they stay in memory for the next write. */
  write(): Promise<void>;
}

/** Maximum counters in memory. Further ones are dropped until these are written. */
const REMEMBERED_MAX = 1_000;
const LISTED_MAX = 1_000;

type SeenCounter = UnratedCounter & { calls: number; last_seen: number };

function createMissingRates({ db, clock }: Pick<Context, 'db' | 'clock'>): MissingRateRecorder {
  const seen = new Map<string, SeenCounter>();
  const addSeen = (one: SeenCounter): void => {
    const key = `${one.counter} ${one.model}`;
    const known = seen.get(key);
    if (known === undefined && seen.size >= REMEMBERED_MAX) return;
    const version = Math.max(one.version, known?.version ?? 0);
    seen.set(key, { ...one, version, calls: one.calls + (known?.calls ?? 0) });
  };
  return {
    add(counters) {
      for (const counter of counters) addSeen({ ...counter, calls: 1, last_seen: nowSeconds(clock) });
    },
    async write() {
      const rows = [...seen.values()];
      if (rows.length === 0) return;
      seen.clear();
      try {
        await db.writer
          .insertInto('missing_rate')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['model', 'counter'])
              .doUpdateSet((eb) => ({
                version: eb.ref('excluded.version'),
                last_seen: eb.ref('excluded.last_seen'),
                calls: eb('missing_rate.calls', '+', eb.ref('excluded.calls')),
              })),
          )
          .execute();
      } catch (error) {
        for (const row of rows) addSeen(row);
        throw error;
      }
    },
  };
}

const recorders = new WeakMap<Context, MissingRateRecorder>();

/** Returns the single recorder of each server of this process. */
export function getMissingRates(ctx: Context): MissingRateRecorder {
  const rates = recorders.get(ctx) ?? createMissingRates(ctx);
  recorders.set(ctx, rates);
  return rates;
}

/**
 * Returns the missing rates of the current prices. A price that was saved later appears once a rate is missing again.
 */
export async function listMissingRates({ db }: Pick<Context, 'db'>): Promise<MissingRate[]> {
  return db.reader
    .selectFrom('missing_rate')
    .innerJoin('price', (join) =>
      join.onRef('price.model', '=', 'missing_rate.model').onRef('price.version', '=', 'missing_rate.version'),
    )
    .select(['missing_rate.model', 'missing_rate.counter', 'missing_rate.calls', 'missing_rate.last_seen'])
    .orderBy('missing_rate.model')
    .orderBy('missing_rate.counter')
    .limit(LISTED_MAX)
    .execute();
}
