/** Counts what the rules found, by the day. What was counted is written from time to time. */
import type { Context } from '../../context.ts';

export interface SafetyCounts {
  /** Once for each request in which it found something. */
  add(ruleId: number): void;
  /** Adds what was counted to the table. What cannot be written is kept for the next time. */
  write(): Promise<void>;
}

const DAY_MS = 86_400_000;

export function dayOf(clock: Context['clock']): number {
  return Math.floor(clock.now() / DAY_MS);
}

export function createSafetyCounts({ db, clock }: Pick<Context, 'db' | 'clock'>): SafetyCounts {
  const counted = new Map<string, { day: number; rule_id: number; found: number }>();
  const add = (day: number, rule_id: number, by: number): void => {
    const key = `${day} ${rule_id}`;
    counted.set(key, { day, rule_id, found: (counted.get(key)?.found ?? 0) + by });
  };
  return {
    add: (ruleId) => add(dayOf(clock), ruleId, 1),
    async write() {
      if (counted.size === 0) return;
      const rows = [...counted.values()];
      counted.clear();
      try {
        await db.writer
          .insertInto('safety_day')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['day', 'rule_id'])
              .doUpdateSet((eb) => ({ found: eb('safety_day.found', '+', eb.ref('excluded.found')) })),
          )
          .execute();
      } catch (error) {
        for (const { day, rule_id, found } of rows) add(day, rule_id, found);
        throw error;
      }
    },
  };
}
