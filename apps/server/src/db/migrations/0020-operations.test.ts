import { expect, test } from 'vitest';
import { getSqliteEngine } from '../../testing/any-table.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('settings that the version before changed are found again, and nothing has run or been dismissed yet', async () => {
  const entry = (
    action: string,
  ) => `insert into audit_entry (created_at, user_id, action, target, detail, address, request_id)
    values (5, 1, '${action}', 'SystemName', '{"changes":{"SystemName":{"before":"a","after":"b"}}}', '', '');`;
  const file = await writeOldDatabase('0020-operations', entry('setting.update') + entry('channel.update'));
  const db = await openDatabase(file);
  const found = getSqliteEngine(db)
    .connection.prepare(`select id from audit_entry indexed by audit_entry_settings where action = 'setting.update'`)
    .all();
  expect(found).toEqual([{ id: 1 }]);
  for (const table of ['job_run', 'notice_seen', 'host_certificate'] as const)
    expect(await db.writer.selectFrom(table).selectAll().execute()).toEqual([]);
  await db.close();
});
