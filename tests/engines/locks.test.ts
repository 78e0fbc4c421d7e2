/** Two concurrent writers. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { sql } from '../../apps/server/src/testing/any-table.ts';
import { engines, useTestDatabases } from './engines.ts';

describe.each(engines)('$name', (engine) => {
  const places = useTestDatabases(engine);
  let one: Database;
  let other: Database;
  beforeEach(async () => {
    if (one === undefined) [one, other] = await places.openTwice();
    await one.writer.deleteFrom('setting').execute();
  });
  const names = async (): Promise<string[]> =>
    (await one.reader.selectFrom('setting').select('name').orderBy('name').execute()).map(({ name }) => name);

  test('serializes transactions: values that one has read do not change until it has written', async () => {
    await one.writer.insertInto('setting').values({ name: 'count', value: '0' }).execute();
    const countOn = ({ writer }: Database) =>
      writer.transaction().execute(async (trx) => {
        const row = trx.selectFrom('setting').select('value').where('name', '=', 'count');
        const { value } = await row.executeTakeFirstOrThrow();
        await trx
          .updateTable('setting')
          .set({ value: String(Number(value) + 1) })
          .where('name', '=', 'count')
          .execute();
      });
    await Promise.all(Array.from({ length: 40 }, (_, n) => countOn(n % 2 === 0 ? one : other)));
    const { value } = await one.writer.selectFrom('setting').select('value').executeTakeFirstOrThrow();
    expect(value).toBe('40');
  });

  test('releases lock and connection of a failed transaction', async () => {
    for (let n = 0; n < 20; n += 1) {
      const failing = one.writer.transaction().execute((trx) => sql`select * from nothing`.execute(trx));
      await expect(failing).rejects.toThrow('nothing');
    }
    const { writer } = other;
    await writer
      .transaction()
      .execute((trx) => trx.insertInto('setting').values({ name: 'after', value: '' }).execute());
    expect(await names()).toEqual(['after']);
  });

  test('rolls back a failed transaction, and shows no uncommitted changes', async () => {
    const failing = one.writer.transaction().execute(async (trx) => {
      await trx.insertInto('setting').values({ name: 'half', value: '' }).execute();
      expect(await names()).toEqual([]);
      throw new Error('half way');
    });
    await expect(failing).rejects.toThrow('half way');
    expect(await names()).toEqual([]);
  });

  test('lets only one of two insert a unique value', async () => {
    const insert = ({ writer }: Database) => writer.insertInto('setting').values({ name: 'once', value: '' }).execute();
    const both = await Promise.allSettled([insert(one), insert(other)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await names()).toEqual(['once']);
  });
});
