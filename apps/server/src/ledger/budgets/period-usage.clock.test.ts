import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPeriodUsageReader, createUsageFromDays, getPeriodStart, PERIODS } from './period-usage.ts';

const KEY = 7;
const DAY = 86_400;
const START = Date.parse('2026-11-20T14:00:00Z') / 1000;

type Step = { move: number } | { charge: number } | { restart: true };

const steps = fc.array(
  fc.oneof(
    fc.record({ move: fc.integer({ min: -70 * DAY, max: 70 * DAY }) }),
    fc.record({ move: fc.integer({ min: -DAY, max: DAY }) }),
    fc.record({ charge: fc.integer({ min: 1, max: 1_000 }) }),
    fc.constant({ restart: true as const }),
  ),
  { maxLength: 40 },
);

function openRows() {
  const connection = new DatabaseSync(':memory:');
  connection.exec(
    'create table key_day (api_key_id integer, day integer, used integer, primary key (api_key_id, day))',
  );
  const write = connection.prepare(
    'insert into key_day values (?, ?, ?) on conflict (api_key_id, day) do update set used = used + excluded.used',
  );
  const sum = connection.prepare(
    'select coalesce(sum(used), 0) as used from key_day where api_key_id = ? and day >= ?',
  );
  return {
    connection,
    write: (points: number, at: number) => void write.run(KEY, getPeriodStart('day', at), points),
    sumSince: (start: number) => Number(sum.get(KEY, start)?.['used']),
  };
}

test('agrees with the rows after any steps of the clock, charges and restarts', () => {
  fc.assert(
    fc.property(steps, (taken: readonly Step[]) => {
      const rows = openRows();
      const open = createPeriodUsageReader(rows.connection);
      let now = START;
      let usage = open(KEY, now);
      for (const step of taken) {
        if ('move' in step) now += step.move;
        else if ('restart' in step) usage = open(KEY, now);
        else {
          usage.add(step.charge, now);
          rows.write(step.charge, now);
        }
        for (const period of PERIODS)
          expect(usage.usedIn(period, now)).toBe(rows.sumSince(getPeriodStart(period, now)));
      }
      rows.connection.close();
    }),
    { numRuns: 300 },
  );
});

test('counts a charge that is dated before the current day in the week and month that contain it', () => {
  const days = [
    { day: getPeriodStart('day', START), used: 5 },
    { day: getPeriodStart('day', START - DAY), used: 7 },
  ];
  const usage = createUsageFromDays(days, START);
  usage.add(100, START - DAY);
  expect(PERIODS.map((period) => usage.usedIn(period, START))).toEqual([5, 112, 112]);
  expect(PERIODS.map((period) => usage.usedIn(period, START - DAY))).toEqual([112, 112, 112]);
});
