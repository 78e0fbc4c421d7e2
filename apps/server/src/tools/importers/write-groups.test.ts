import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { importIntoApp } from '../../testing/import-into-app.ts';
import { writeSqliteSource } from '../../testing/source-database.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-groups-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const app = await useFeatureApp([]);

async function bring(ratios: Readonly<Record<string, number>>) {
  const file = join(folder, `${crypto.randomUUID()}.db`);
  await writeSqliteSource(file, 'new-api', {
    users: Object.keys(ratios).map((group, at) => ({
      id: 100 + at,
      username: `of-${Object.values(ratios)[at]}`,
      group,
      status: 1,
    })),
    options: [{ key: 'GroupRatio', value: JSON.stringify(ratios) }],
  });
  await importIntoApp(app, file, 'new-api');
  const rows = await app.ctx.db.writer
    .selectFrom('user')
    .innerJoin('user_group', 'user_group.symbol', 'user.group_symbol')
    .select(['username', 'symbol', 'ratio_micros'])
    .orderBy('user.id')
    .execute();
  return rows.map(({ username, symbol, ratio_micros }) => [username, symbol, ratio_micros / 1_000_000]);
}

test('groups with different names stay separate, in any order, also from existing ones', async () => {
  await app.ctx.db.writer
    .insertInto('user_group')
    .values({
      symbol: 'group-2',
      name: 'Of here',
      ratio_micros: 7_000_000,
      api_rate: 0,
      public: 0,
      enable: 1,
      promotion: 0,
      min_usd: 0,
      max_usd: 0,
      order: 'weight',
    })
    .execute();
  const first = [
    ['of-1.5', 'group-3', 1.5],
    ['of-0.1', 'group', 0.1],
  ];
  expect(await bring({ 贵宾: 1.5, group: 0.1 })).toEqual(first);
  // One that sorts before it does not take its symbol.
  const file = { 贵宾: 1.5, group: 0.1, 白金: 0.5 };
  expect(await bring(file)).toEqual([...first, ['of-0.5', 'group-4', 0.5]]);
  const there = await app.ctx.db.writer
    .selectFrom('user_group')
    .select('ratio_micros')
    .where('symbol', '=', 'group-2')
    .executeTakeFirstOrThrow();
  expect(there.ratio_micros).toBe(7_000_000);
});

test('a group without a definition gets the general rate limit, and one with users keeps its own', async () => {
  const bringMember = async (id: number, source: string, requests: number) => {
    const file = join(folder, `${crypto.randomUUID()}.db`);
    await writeSqliteSource(file, 'new-api', {
      users: [{ id, username: `member-${id}`, group: 'undefined-team', status: 1 }],
      options: [
        { key: 'ModelRequestRateLimitEnabled', value: 'true' },
        { key: 'ModelRequestRateLimitCount', value: String(requests) },
      ],
    });
    const report = await importIntoApp(app, file, 'new-api', { source });
    const { api_rate } = await app.ctx.db.writer
      .selectFrom('user_group')
      .select('api_rate')
      .where('symbol', '=', 'undefined-team')
      .executeTakeFirstOrThrow();
    return { rate: api_rate, told: report.lines().join('\n') };
  };
  expect(await bringMember(901, 'first', 60)).toMatchObject({ rate: 60 });
  expect(await bringMember(902, 'second', 90)).toEqual({
    rate: 60,
    told: expect.stringContaining(
      'it already has users here: undefined-team (90 requests per minute in the source, 60 here; 0 is no limit)',
    ),
  });
});
