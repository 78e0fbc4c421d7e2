import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

const RATES = '{"input":7,"output":9,"cachedRead":null}';
const DETAIL = '{"receipt":{"price_type":"tokens","price_model":"a","ratio_micros":1000000,"lines":[]}}';

test('prices become their first version; keys, channels, records and sums do not change', async () => {
  const file = await writeOldDatabase(
    '0002-price-versions',
    `insert into price values ('a', 'tokens', 1, 7, 9, '${RATES}', 1), ('b*', 'times', 0, 7, 9, '${RATES}', 0);
    insert into "user" values (1, 'ann', '', '', '', '', 'user', 'enabled', 'default', null, 1, 0, '', null);
    insert into api_key values (5, 1, 'k', 'hash', '', '', 'enabled', 1, 0, -1, 1, '', '', 0, '{}', null);
    insert into channel values (3, 'c', 'openai', '', '', '', '{}', '[]', '[]', '', '{}', '', '', '', 0, 1, 0,
      'enabled', '', 1, 0, 0, null, 0, null);
    insert into usage_record values (9, 'r', 1, 'consume', 1, 5, 3, 'a', 'default', 12, 1, 1, 0, 5, 1, 0, '', 'reported', '', '${DETAIL}');
    insert into usage_hour values (0, 1, 'a', 3, 1, 0, 12, 1, 1, 5);`,
  );
  const db = await openDatabase(file);
  const rows = await db.writer
    .selectFrom('price')
    .innerJoin('price_version', 'price_version.id', 'price.version')
    .select(['price.model', 'price_version.model as versioned', 'price_version.rates', 'price.tiers'])
    .orderBy('price.model')
    .execute();
  expect(rows).toEqual([
    { model: 'a', versioned: 'a', rates: RATES, tiers: '[]' },
    { model: 'b*', versioned: 'b*', rates: RATES, tiers: '[]' },
  ]);
  expect(await db.writer.selectFrom('api_key').select('ratio_micros').execute()).toEqual([{ ratio_micros: 1_000_000 }]);
  expect(await db.writer.selectFrom('channel').select(['id', 'cost']).execute()).toEqual([{ id: 3, cost: '{}' }]);
  expect(await db.writer.selectFrom('usage_record').select(['quota', 'cost', 'detail']).execute()).toEqual([
    { quota: 12, cost: null, detail: DETAIL },
  ]);
  expect(await db.writer.selectFrom('usage_hour').select(['quota', 'cost', 'costed_quota']).execute()).toEqual([
    { quota: 12, cost: 0, costed_quota: 0 },
  ]);
  await db.close();
});
