import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { updateHourRollups } from '../../usage/analytics/analytics.ts';
import { openDatabase } from '../open-database.ts';

test('calls of the version before are packed by hour', async () => {
  const file = await writeOldDatabase(
    '0017-fetches-and-other-models',
    [3_600, 3_700, 10_800]
      .map(
        (at) => `insert into usage_record (request_id, created_at, type, user_id, api_key_id, channel_id, model,
          group_symbol, quota, cost, prompt_tokens, completion_tokens, cached_tokens, duration_ms, first_byte_ms,
          is_stream, address, usage_source, content, detail)
          values ('r${at}', ${at}, 'consume', 1, null, null, 'gpt-4o', 'default', 5, null, 1, 1, 0, 9, 3, 0, '',
            'reported', '', '{}');
        insert into usage_hour (hour, user_id, model, channel_id, requests, errors, quota, prompt_tokens,
          completion_tokens, duration_ms) values (${at - (at % 3_600)}, 1, 'gpt-4o', 0, 1, 0, 5, 1, 1, 9)
          on conflict do update set requests = requests + 1;`,
      )
      .join(''),
  );
  const db = await openDatabase(file);
  await updateHourRollups({ db, clock: systemClock });
  expect(await db.writer.selectFrom('usage_slice').select('hour').execute()).toEqual([
    { hour: 3_600 },
    { hour: 10_800 },
  ]);
  expect(await db.writer.selectFrom('saved_view').selectAll().execute()).toEqual([]);
  await db.close();
});
