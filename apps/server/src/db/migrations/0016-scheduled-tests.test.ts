import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('channels of the previous version have whole prompts; untranslated results of their tests are discarded', async () => {
  const kept = (kind: string, outcome: string, problem: string) =>
    `insert into channel_test (channel_id, model, kind, outcome, problem, message, tested_at, duration)
      values (1, 'gpt-4o', '${kind}', '${outcome}', ${problem}, 'said', 7, 5);`;
  const file = await writeOldDatabase(
    '0016-scheduled-tests',
    `insert into channel (name, provider, key_sealed, key_hint, base_url, options, models, groups, tag, model_mapping,
      headers_sealed, proxy_sealed, test_model, priority, weight, only_chat, status, disabled_reason, created_time,
      test_time, response_time, balance_updated_time)
      values ('old', 'openai', 'sealed', '1234', '', '{}', '["gpt-4o"]', '["old"]', '', '{}', '', '', '', 3, 2, 1,
        'enabled', '', 100, 50, 70, 0);
    ${kept('short', 'failed', "'timeout'")}
    ${kept('answer', 'failed', "'wrong-answer'")}
    ${kept('image', 'not-applicable', 'null')}`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('channel').selectAll().executeTakeFirst()).toMatchObject({
    name: 'old',
    held_prompt: 'all',
  });
  const tests = await db.writer.selectFrom('channel_test').selectAll().execute();
  expect(tests).toMatchObject([{ kind: 'short', problem: 'timeout', message: 'said', finding: null }]);
  expect(await db.writer.selectFrom('channel_test_run').selectAll().execute()).toEqual([]);
  await db.close();
});
