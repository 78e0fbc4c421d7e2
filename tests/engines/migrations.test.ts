/** Both engines have the same tables, whether new or migrated from an old version with rows. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../apps/server/src/db/open-database.ts';
import { listTables, readRows } from '../../apps/server/src/testing/any-table.ts';
import { writeOldDatabase, writeOldPostgres } from '../../apps/server/src/testing/old-database.ts';
import { engines, useTestDatabases } from './engines.ts';
import { readStructure, type Structure } from './read-structure.ts';

const DAY = 86_400;
/** The last migration of the first version, whose database has rows in each of its tables. */
const OLDEST = '0002-price-versions';
const RATES = '{"input":7,"output":9,"cachedRead":null}';
const rows = [
  `insert into setting (name, value) values ('systemName', '"Before"')`,
  `insert into "user" (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
     access_token_hash, created_time, last_login_time, last_login_ip, deleted_time)
   values (1, 'operator', 'hash', '', '', '', 'root', 'enabled', 'default', 'hash-of-token', 100, 0, '', null),
     (2, 'Ada', 'hash', '阿达', 'ada@example.com', '', 'user', 'enabled', 'default', null, 100, 0, '', null)`,
  `insert into session (id_hash, user_id, created_time, last_seen_time, address, device, stepped_up_until)
   values ('session', 2, 100, 100, '', '', 0)`,
  `insert into user_group (id, symbol, name, ratio_micros, api_rate, public, enable)
   values (4, 'default', 'Default', 1000000, 60, 1, 1)`,
  `insert into api_key values (7, 2, 'k', 'hash', '', '', 'enabled', 1, 0, -1, 1, '', '', 0, '{}', null)`,
  `insert into channel values (3, 'c', 'openai', '', '', '', '{}', '["m"]', '[]', '', '{}', '', '', '', 0, 1, 0,
     'enabled', '', 1, 0, 0, null, 0, null)`,
  `insert into price values ('m', 'tokens', 1, 7, 9, '${RATES}', 1), ('b*', 'times', 0, 7, 9, '${RATES}', 0)`,
  `insert into ledger_entry (kind, ref, created_at, user_id, api_key_id, user_amount, key_amount, note)
   values ('top-up', 'a', 100, 2, null, 1000, 0, ''), ('key-limit', 'b', 100, 2, 7, 0, 300, ''),
     ('charge', 'r1', ${DAY + 5}, 2, 7, -20, -20, ''), ('charge', 'r2', ${2 * DAY}, 2, 7, -5, -5, '')`,
  `insert into user_account values (2, 975, 0, 25, 2)`,
  `insert into key_account values (7, 275, 0, 25)`,
  `insert into usage_record (id, request_id, created_at, type, user_id, api_key_id, channel_id, model, group_symbol,
     quota, prompt_tokens, completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address,
     usage_source, content, detail)
   values (1, 'r1', ${DAY + 5}, 'consume', 2, 7, 3, 'm', 'default', 20, 1, 1, 0, 5, 1, 0, '', 'reported', '', '{}'),
     (2, 'r2', ${2 * DAY}, 'consume', 2, 7, 3, 'm', 'default', 5, 1, 1, 0, 5, 1, 1, '', 'reported', '', '{}')`,
  `insert into usage_hour values (${DAY}, 2, 'm', 3, 1, 0, 20, 1, 1, 5)`,
  `insert into channel_usage values (3, 25, 2)`,
];
/** Tables that record when and by which version the database was migrated. */
const OWN_TIMES: ReadonlySet<string> = new Set(['kysely_migration', 'kysely_migration_lock', 'upgrade']);

async function contentOf(db: Database): Promise<Record<string, readonly string[]>> {
  const names = (await listTables(db)).filter((name) => !OWN_TIMES.has(name) && !isMonth(name));
  const content = await Promise.all(
    names.map(async (name) => [name, (await readRows(db, name)).map(textOf).toSorted()] as const),
  );
  return Object.fromEntries(content.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
const isMonth = (table: string): boolean => table.startsWith('usage_record_');
/** Serializes a row in the order of its column names; times are reduced to whether they are set. */
const textOf = (row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(
    Object.keys(row)
      .toSorted()
      .map((name) => [
        name,
        ['role_since', 'created_at', 'created_time'].includes(name) && Number(row[name]) > 1e9 ? 'now' : row[name],
      ]),
  );

const structures = new Map<string, Structure>();
const contents = new Map<string, Awaited<ReturnType<typeof contentOf>>>();

describe.each(engines)('tables on $name', (engine) => {
  const places = useTestDatabases(engine);

  test('appear in an empty database, and do not change at the next start', async () => {
    const databaseUrl = await places.createEmpty();
    const db = await openDatabase(databaseUrl);
    structures.set(engine.name, await readStructure(db));
    await db.close();
    const again = await openDatabase(databaseUrl);
    expect(await readStructure(again)).toEqual(structures.get(engine.name));
    await again.close();
  });

  test('become the same from those of the first version, which keep their rows', async () => {
    const databaseUrl = await old();
    const db = await openDatabase(databaseUrl);
    onTestFinished(() => db.close());
    expect(await readStructure(db)).toEqual(structures.get(engine.name));
    const content = await contentOf(db);
    contents.set(engine.name, content);
    expect(content['usage_record']).toHaveLength(2);
    expect(content['ledger_entry']).toHaveLength(4);
    expect(content['key_day']).toHaveLength(2);
    expect(content['user']?.join()).toContain('阿达');
  });

  test('refuse a name that differs from an existing one only in capitals', async () => {
    const db = await openDatabase(await old());
    onTestFinished(() => db.close());
    const row = await db.writer.selectFrom('user').selectAll().where('id', '=', 2).executeTakeFirstOrThrow();
    const { id: _id, ...another } = row;
    const insert = (username: string) =>
      db.writer
        .insertInto('user')
        .values({ ...another, username })
        .execute();
    await expect(insert('aDA')).rejects.toThrow(/unique/i);
    await insert('Adä');
    // Only ASCII letters are compared without capitals.
    await insert('AdÄ');
    const group = {
      symbol: 'default',
      name: 'x',
      ratio_micros: 1,
      api_rate: 1,
      public: 1,
      enable: 1,
      order: 'weight' as const,
    };
    const refused = db.writer.insertInto('user_group').values(group);
    await expect(refused.execute()).rejects.toThrow(/unique/i);
  });

  test('refuse rows that violate their constraints', async () => {
    const db = await openDatabase(await old());
    onTestFinished(() => db.close());
    const held = db.writer.updateTable('user_account').set({ held: -1 });
    await expect(held.execute()).rejects.toThrow(/check/i);
    await expect(db.writer.deleteFrom('ledger_entry').execute()).rejects.toThrow('append-only');
    const nobody = db.writer.updateTable('session').set({ user_id: 99 });
    await expect(nobody.execute()).rejects.toThrow(/foreign key/i);
  });

  async function old(): Promise<string> {
    if (engine.kind === 'sqlite') return writeOldDatabase(OLDEST, rows.join(';'));
    const databaseUrl = await places.createEmpty();
    // Rows that are inserted with an id do not advance the sequence.
    const counted = `select setval(pg_get_serial_sequence('"user"', 'id'), 2)`;
    await writeOldPostgres(databaseUrl, OLDEST, [...rows, counted]);
    return databaseUrl;
  }
});

describe('both', () => {
  const [sqlite = '', postgres = ''] = engines.map(({ name }) => name);

  test('have the same tables, columns, types, keys and indexes', ({ skip }) => {
    if (!structures.has(postgres)) return skip('PostgreSQL is not installed here');
    const ofFile = structures.get(sqlite);
    // PostgreSQL partitions it by month, so the time is part of its key.
    const usage_record = { ...ofFile?.['usage_record'], key: 'id,created_at' };
    expect(structures.get(postgres)).toEqual({ ...ofFile, usage_record });
  });

  test('convert the same old rows to the same rows', ({ skip }) => {
    if (!contents.has(postgres)) return skip('PostgreSQL is not installed here');
    expect(contents.get(postgres)).toEqual(contents.get(sqlite));
  });
});
