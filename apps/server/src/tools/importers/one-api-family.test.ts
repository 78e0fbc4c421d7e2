import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type SourceRows, writeSqliteSource } from '../../testing/source-database.ts';
import { ImportReport, type Installation, openSourceTables, type ProductName, readFamily } from './importers.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-family-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(product: ProductName, rows: SourceRows): Promise<{ read: Installation; told: string }> {
  const file = join(folder, `${crypto.randomUUID()}.db`);
  await writeSqliteSource(file, product, rows);
  const report = new ImportReport();
  const tables = await openSourceTables(file);
  try {
    return { read: await readFamily(tables, product, report), told: report.lines().join('\n') };
  } finally {
    await tables.close();
  }
}

test('imports a token with an unreadable expiry as expired, and never without an expiry', async () => {
  const expired = async (expired_time: unknown) => {
    const { read: found } = await read('one-hub', {
      tokens: [{ id: 1, user_id: 1, status: 1, key: 'k'.repeat(48), expired_time }],
    });
    return found.keys[0]?.expiredTime;
  };
  expect(await expired(-1)).toBe(-1);
  expect(await expired('2020-01-01 00:00:00Z')).toBe(1_577_836_800);
  expect(await expired(1_600_000_000_000)).toBe(1_600_000_000);
  for (const unreadable of [null, 0, -2, 'some day']) expect(await expired(unreadable)).toBe(1);
});

test('reports unreadable values that it replaces', async () => {
  const users = [
    { id: 1, username: 'junk', quota: 'lost' },
    { id: 2, username: 'empty', quota: null },
  ];
  const table = await read('one-hub', { users, user_groups: [{ id: 1, symbol: 'odd', ratio: '0,85' }] });
  expect(table.told).toContain('user: the balance is not a number and is replaced by 0: 1\n');
  expect(table.told).toContain('group: the ratio is rounded or replaced by 1: odd (0,85)');
  const options = [
    { key: 'GroupRatio', value: '{"vip":0.5,' },
    { key: 'ModelRatio', value: '[1]' },
    { key: 'CompletionRatio', value: '' },
  ];
  const { told } = await read('new-api', { options });
  expect(told).toContain('group: the option cannot be read: GroupRatio');
  expect(told).toContain('price: the option cannot be read: ModelRatio\n');
});

test('reports rows that were deleted in the source', async () => {
  const users = [{ id: 7, username: 'gone', deleted_at: '2024-01-01 00:00:00' }];
  expect((await read('one-hub', { users })).told).toContain('user: skipped, because it was deleted in the source: 7');
});

test('only groups that are named among the public ones are public', async () => {
  const options = [
    { key: 'GroupRatio', value: '{"constructor":0.5}' },
    { key: 'UserUsableGroups', value: '{"default":"Everybody"}' },
  ];
  const { groups } = (await read('new-api', { options })).read;
  expect(groups.map(({ symbol, isPublic }) => [symbol, isPublic])).toEqual([
    ['constructor', false],
    ['default', true],
  ]);
});

test('an order’s amount is counted in the smallest coin that its currency has', async () => {
  const orders = ['CNY', 'JPY', 'XXX'].map((order_currency, at) => ({
    id: at + 1,
    order_currency,
    order_amount: '1000.5',
  }));
  const found = (await read('one-hub', { orders })).read.orders;
  expect(found.map(({ orderAmount }) => orderAmount)).toEqual([100_050n, 1_001n, 100_050n]);
});

test('a channel’s texts are read in whatever bytes they were written', async () => {
  const bytes = Uint8Array.of(0xc7, 0xfe, 0xb5, 0xc0);
  const { channels } = (await read('one-hub', { channels: [{ id: 1, name: bytes, key: 'a\r\nb\u0000' }] })).read;
  expect(channels[0]?.row).toMatchObject({ name: '渠道', key: 'a\nb' });
});
