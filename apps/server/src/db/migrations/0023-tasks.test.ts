import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../ledger/ledger.ts';
import { systemClock } from '../../platform/clock.ts';
import { silentLog } from '../../platform/log.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('releases holds of the previous version at the first start', async () => {
  const file = await writeOldDatabase(
    '0023-tasks',
    `insert into user_account (user_id, balance, held, used, requests) values (5, 1000, 300, 0, 0);
     insert into hold (request_id, user_id, api_key_id, limited, amount, created_at) values ('r1', 5, null, 0, 300, 1)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('task').selectAll().execute()).toEqual([]);
  const ledger = await openLedger(db, systemClock, silentLog, dirname(file));
  expect(await ledger.readAvailable(5)).toBe(1_000);
  expect(await db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
  await ledger.close();
  await db.close();
});
