/** Remembers counters that vendors bill and that a price has no rate for, so that an operator hears of them. */
import type { MissingRate } from '@switchyard/contract/catalog/prices';
import type { Context } from '../../context.ts';
import type { UnratedCounter } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';

export interface MissingRateRecorder {
  /** Remembers in memory the counters of one call. */
  add(counters: readonly UnratedCounter[]): void;
  /** Adds the remembered counters to the table; those that cannot be written are kept for the next time. */
  write(): Promise<void>;
}

/** Further ones wait until these are written. */
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
            conflict.columns(['model', 'counter']).doUpdateSet((eb) => ({
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

/** One for each server of this process. */
export function getMissingRates(ctx: Context): MissingRateRecorder {
  const rates = recorders.get(ctx) ?? createMissingRates(ctx);
  recorders.set(ctx, rates);
  return rates;
}

/** Lists those of the prices as they are now: a price that was saved since has to be missed again. */
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
