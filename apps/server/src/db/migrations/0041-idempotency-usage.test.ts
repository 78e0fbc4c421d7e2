import { expect, test } from 'vitest';
import { claimKey, removeExpiredKeys } from '../../idempotency/idempotency.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { openDatabase } from '../open-database.ts';

test('keys of the previous version stay used until they expire, and count for no user', async () => {
  const file = await writeOldDatabase(
    '0041-idempotency-usage',
    `insert into idempotency_key values ('relay 5 1', 'a', 'f', 'r', 1000, 200, 'text/plain', x'00')`,
  );
  const db = await openDatabase(file);
  const use = { userId: 5, scope: 'relay 5 1', key: 'a', fingerprint: 'f', requestId: 'other' };
  expect((await claimKey(db.writer, use, 2_000)).state).toBe('kept');
  expect(await db.writer.selectFrom('idempotency_usage').selectAll().execute()).toEqual([]);
  expect(await removeExpiredKeys({ db, clock: createTestClock(1_000_000_000) })).toBe(1);
  expect((await claimKey(db.writer, use, 1_000_000)).state).toBe('new');
  const usage = await db.writer.selectFrom('idempotency_usage').selectAll().execute();
  expect(usage).toEqual([{ user_id: 5, keys: 1, bytes: 0 }]);
  await db.close();
});
