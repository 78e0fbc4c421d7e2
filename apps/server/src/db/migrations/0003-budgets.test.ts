import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger, verifyLedger } from '../../ledger/ledger.ts';
import { systemClock } from '../../platform/clock.ts';
import { silentLog } from '../../platform/log.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

const DAY = 86_400;

test('a database of the version before keeps every point, knows what keys spent each day, and frees its holds', async () => {
  const file = await writeOldDatabase(
    '0003-budgets',
    `insert into ledger_entry (kind, ref, created_at, user_id, api_key_id, user_amount, key_amount, note) values
      ('top-up', 'a', 100, 1, null, 1000, 0, ''), ('key-limit', 'b', 100, 1, 7, 0, 300, ''),
      ('charge', 'r1', ${DAY + 5}, 1, 7, -20, -20, ''), ('charge', 'r2', ${2 * DAY - 1}, 1, 7, -5, -5, ''),
      ('charge', 'r3', ${2 * DAY}, 1, 8, -40, 0, ''), ('charge', 'r4', ${2 * DAY}, 1, null, -3, 0, '');
    insert into usage_record (request_id, created_at, type, user_id, api_key_id, model, group_symbol, quota, prompt_tokens,
      completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address, usage_source, content, detail)
      select ref, created_at, 'consume', user_id, api_key_id, 'm', 'default', -user_amount, 0, 0, 0, 0, 0, 0, '', 'none', '', '{}'
      from ledger_entry where kind = 'charge';
    insert into user_account values (1, 932, 160, 68, 4);
    insert into key_account values (7, 275, 100, 25), (8, 0, 0, 40);
    insert into hold (request_id, user_id, api_key_id, amount, created_at) values ('h1', 1, 7, 100, 0), ('h2', 1, 8, 60, 0)`,
  );

  const db = await openDatabase(file);
  expect((await verifyLedger(db.writer)).problems).toEqual([]);
  const days = await db.writer.selectFrom('key_day').selectAll().orderBy('day').orderBy('api_key_id').execute();
  expect(days).toEqual([
    { api_key_id: 7, day: DAY, used: 25 },
    { api_key_id: 8, day: 2 * DAY, used: 40 },
  ]);
  const ledger = await openLedger(db, systemClock, silentLog, dirname(file));
  expect(await ledger.readAvailable(1)).toBe(932);
  await ledger.close();
  await db.close();
});
