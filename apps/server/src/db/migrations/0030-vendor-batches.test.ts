import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('a batch of the version before is asked line by line, as it was', async () => {
  const file = await writeOldDatabase(
    '0030-vendor-batches',
    `insert into batch (id, user_id, api_key_id, address, endpoint, input_file_id, model, status, total, completed, failed, created_at, expires_at)
     values ('batch_1', 7, 3, '127.0.0.1', '/v1/chat/completions', 'file-1', 'm', 'in_progress', 5, 2, 0, 1, 2)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('batch').selectAll().execute()).toMatchObject([
    { id: 'batch_1', completed: 2, channel_id: null, channel_key_id: null, group_symbol: null, upstream_id: null },
  ]);
  await db.close();
});
