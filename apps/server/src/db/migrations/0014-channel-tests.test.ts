import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('channels of the previous version keep their state, untested, and can be tested and counted', async () => {
  const file = await writeOldDatabase(
    '0014-channel-tests',
    `insert into channel (name, provider, key_sealed, key_hint, base_url, options, models, groups, tag, model_mapping,
      headers_sealed, proxy_sealed, test_model, priority, weight, only_chat, status, disabled_reason, created_time,
      test_time, response_time, balance_updated_time)
      values ('old', 'openai', 'sealed', '1234', '', '{}', '["gpt-4o"]', '["old"]', '', '{}', '', '', '', 3, 2, 1,
        'enabled', '', 100, 50, 70, 0)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('channel').selectAll().executeTakeFirst()).toMatchObject({
    name: 'old',
    test_time: 50,
    response_time: 70,
  });
  expect(await db.writer.selectFrom('channel_test').selectAll().execute()).toEqual([]);
  await db.writer.insertInto('channel_hour').values({ channel_id: 1, model: 'gpt-4o', hour: 7 }).execute();
  expect(await db.writer.selectFrom('channel_hour').selectAll().executeTakeFirst()).toMatchObject({
    answered: 0,
    within_inf: 0,
  });
  await db.close();
});
