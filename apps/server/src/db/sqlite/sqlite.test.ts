import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../db.ts';

test('lists are read while a report runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-sqlite-'));
  const db = await openDatabase(join(folder, 'new.db'));
  onTestFinished(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let isReported = false;
  const report = sql`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 6000000) select max(i) from n`
    .execute(db.reports)
    .finally(() => (isReported = true));
  expect(await db.reader.selectFrom('avatar').select('user_id').execute()).toEqual([]);
  expect(isReported).toBe(false);
  await report;
});
