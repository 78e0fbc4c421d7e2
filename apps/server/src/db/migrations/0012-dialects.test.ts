import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('channels of the version before change nothing in their requests', async () => {
  const file = await writeOldDatabase(
    '0012-dialects',
    `insert into channel (name, provider, key_sealed, key_hint, base_url, options, models, groups, tag, model_mapping,
      headers_sealed, proxy_sealed, test_model, priority, weight, only_chat, status, disabled_reason, created_time,
      test_time, response_time, balance_updated_time)
      values ('old', 'openai', 'sealed', '1234', '', '{}', '["gpt-4o"]', '["old"]', '', '{}', '', '', '', 3, 2, 1,
        'enabled', '', 100, 0, 0, 0)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('channel').selectAll().executeTakeFirst()).toMatchObject({
    name: 'old',
    request_changes: '{}',
  });
  await db.close();
});
