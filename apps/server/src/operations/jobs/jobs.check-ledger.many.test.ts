/** However many discrepancies the ledger has, its check lets others run and logs a short line. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { nowSeconds } from '../../platform/clock.ts';
import { silentLog } from '../../platform/log.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { fillTable, named } from '../../testing/fill-table.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { measureLongestBlock } from '../../testing/measure-longest-block.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { checkLedger } from './jobs.ts';

const TURN_MAX_MS = 50;
const LINE_MAX_BYTES = 10_000;
const USERS = 1_000;
/** Charges of each user that have no usage record. */
const CHARGES = 20;
/** And the balance of the first user. */
const DISCREPANCIES = USERS * CHARGES + 1;

const lines: unknown[] = [];
const machineClock = createTestClock(0);
const app = await useFeatureApp([], {
  now: Date.UTC(2026, 0, 10, 12),
  machineClock,
  log: { ...silentLog, error: (fields: unknown) => void lines.push(fields) },
});
const { ctx } = app;
const measureCheck = (): Promise<number> =>
  measureLongestBlock(() => advanceWhile(machineClock, 0.02, checkLedger(ctx)));
const readStored = () => ctx.db.reader.selectFrom('ledger_alarm').selectAll().execute();

beforeAll(async () => {
  const { id } = await app.createUser('user');
  const now = nowSeconds(ctx.clock);
  // Only charges after the oldest record need one.
  await insertUsageRecords(ctx, id, [{ created_at: now - 90_000, quota: 0 }]);
  const userId = sql`1000 + (n.i - 1) % ${USERS}`;
  await fillTable(ctx, 'user', USERS, { id: userId, username: named('holder-'), notices: '{}' });
  const balance = sql`${-2 * CHARGES} + iif(n.i = 1, 7, 0)`;
  await fillTable(ctx, 'user_account', USERS, { user_id: userId, balance, used: 2 * CHARGES, requests: CHARGES });
  await fillTable(ctx, 'ledger_entry', USERS * CHARGES, {
    id: sql`n.i + 1000`,
    created_at: now - 60,
    kind: 'charge',
    ref: named('request-of-'),
    user_id: userId,
    user_amount: -2,
  });
});

test('raises 20,001 discrepancies of 1,000 users, and finds them again, without blocking others', async () => {
  const first = await measureCheck();
  const stored = await readStored();
  expect(stored).toHaveLength(DISCREPANCIES);
  expect(new Set(stored.map(({ user_id }) => user_id)).size).toBe(USERS);
  expect(lines).toMatchObject([{ discrepancies: DISCREPANCIES, users: USERS }]);
  expect(JSON.stringify(lines).length).toBeLessThan(LINE_MAX_BYTES);
  const second = await measureCheck();
  expect(await readStored()).toEqual(stored);
  expect(lines).toHaveLength(1);
  expect(Math.max(first, second)).toBeLessThan(TURN_MAX_MS);
});
