import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('entries of the version before stay as they are, without a hash, and still cannot be changed', async () => {
  const file = await writeOldDatabase(
    '0009-audit-chain',
    `insert into audit_entry (created_at, user_id, action, target, detail, address, request_id)
      values (100, 1, 'channel.create', 'channel:1', '{"name":"old"}', '192.0.2.1', 'abc'),
        (200, null, 'channel.auto-disable', 'channel:1', '{}', '', '')`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('audit_entry').selectAll().execute()).toMatchObject([
    { id: 1, user_id: 1, action: 'channel.create', detail: '{"name":"old"}', hash: '' },
    { id: 2, user_id: null, created_at: 200, hash: '' },
  ]);
  const change = db.writer.updateTable('audit_entry').set({ hash: 'made up' }).execute();
  await expect(change).rejects.toThrow('append-only');
  await db.close();
});
