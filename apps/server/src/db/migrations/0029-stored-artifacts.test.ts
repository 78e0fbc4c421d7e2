import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('tasks of the version before stay, and each of their works can be stored once', async () => {
  const file = await writeOldDatabase(
    '0029-stored-works',
    `insert into task values ('video_1', 'r1', 5, null, 2, 'k', 'default', 'openai-videos', 'openai-videos', 'v1', null,
      'video', 'sora-2', 'sora-2', 'succeeded', 100, 'a cat', '{}', '{"works":[],"said":{}}', '', 10, 10, '{}', '',
      1, 1, 2, 3, 2, 0, null, 0)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('task').select('id').execute()).toEqual([{ id: 'video_1' }]);
  const row = {
    id: 'a'.repeat(40),
    task_id: 'video_1',
    user_id: null,
    nth: 0,
    lane: 'vendor.example 0',
    store: 'folder',
    state: 'waiting' as const,
    bytes: 0,
    media_type: '',
    tries: 0,
    next_try_at: 5,
    created_at: 5,
    expires_at: null,
  };
  await db.writer.insertInto('stored_work').values(row).execute();
  const again = { ...row, id: 'b'.repeat(40) };
  await expect(db.writer.insertInto('stored_work').values(again).execute()).rejects.toThrow('UNIQUE');
  await db.close();
});
