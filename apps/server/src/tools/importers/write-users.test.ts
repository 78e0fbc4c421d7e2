import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { importIntoApp } from '../../testing/import-into-app.ts';
import { type SourceRows, writeSqliteSource } from '../../testing/source-database.ts';
import { type FeatureApp, startFeatureApp } from '../../testing/start-feature-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-users-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const user = (id: number, username: string, fields: object = {}) => ({
  id,
  username,
  status: 1,
  role: 1,
  quota: id,
  ...fields,
});

async function bring(app: FeatureApp, rows: SourceRows, source = 'new-api') {
  const file = join(folder, `${crypto.randomUUID()}.db`);
  await writeSqliteSource(file, 'new-api', rows);
  return importIntoApp(app, file, 'new-api', { source });
}

async function withApp(use: (app: FeatureApp) => Promise<void>): Promise<void> {
  const app = await startFeatureApp([]);
  try {
    await use(app);
  } finally {
    await app.close();
  }
}

const usersOf = (app: FeatureApp) =>
  app.ctx.db.writer.selectFrom('user').select(['id', 'username']).orderBy('id').execute();

test('a user without a usable id does not take another user’s id', () =>
  withApp(async (app) => {
    const here = await app.createUser('root', { username: 'here' });
    const users = [
      user(-5, 'minus'),
      user(0, 'zero'),
      user(here.id, 'first'),
      user(here.id + 1, 'second'),
      user(here.id + 2, 'third'),
      user(9_007_199_254_740_990, 'huge'),
    ];
    await bring(app, { users });
    const rows = await usersOf(app);
    expect(rows.slice(0, 3)).toEqual([
      { id: here.id, username: 'here' },
      { id: here.id + 1, username: 'second' },
      { id: here.id + 2, username: 'third' },
    ]);
    expect(rows.slice(3).map(({ username }) => username)).toEqual(['minus', 'zero', 'first', 'huge']);
    expect(rows.at(-1)?.id).toBe(here.id + 6);
  }));

test('adds the invitation credit that was not transferred yet to the balance', () =>
  withApp(async (app) => {
    const users = [
      user(1, 'alice', { aff_quota: 700 }),
      user(2, 'bob', { aff_quota: 0 }),
      user(3, 'carol', { quota: -50, aff_quota: 20 }),
    ];
    const report = await bring(app, { users });
    const rows = await app.ctx.db.writer
      .selectFrom('user_account')
      .select(['user_id', 'balance'])
      .orderBy('user_id')
      .execute();
    expect(rows).toEqual([
      { user_id: 1, balance: 701 },
      { user_id: 2, balance: 2 },
      { user_id: 3, balance: -30 },
    ]);
    expect({ source: report.sourceBalance, differences: report.differences }).toEqual({
      source: 673n,
      differences: [],
    });
    expect(report.lines().join('\n')).toContain('added to the balance: alice (700 points), carol (20 points)');
  }));

test('half a sign is in no name', () =>
  withApp(async (app) => {
    await bring(app, { users: [user(1, `${'a'.repeat(31)}😀`, { display_name: `${'b'.repeat(31)}😀` })] });
    const rows = await app.ctx.db.writer.selectFrom('user').select(['username', 'display_name']).execute();
    expect(rows).toEqual([{ username: 'a'.repeat(31), display_name: 'b'.repeat(31) }]);
  }));

test('an installation that goes by the name of another one is refused: its tokens would be other users’', () =>
  withApp(async (app) => {
    const one = [user(1, 'root', { role: 100 }), user(2, 'alice', { aff_code: 'AAAA' }), user(3, 'bob')];
    await bring(app, { users: one });
    const renamed = one.map((row) => (row.id === 2 ? { ...row, username: 'alicia' } : row));
    const more = await bring(app, { users: [...renamed, user(4, 'late')] });
    expect(more.counts('user')).toMatchObject({ read: 4, new: 1, known: 3 });

    const other = [user(1, 'root', { role: 100 }), user(2, 'carol', { aff_code: 'CCCC' }), user(3, 'dave')];
    const tokens = [{ id: 9, user_id: 2, status: 1, key: 'c'.repeat(48), unlimited_quota: true }];
    await expect(bring(app, { users: other, tokens })).rejects.toThrow('give it its own --name');
    expect(await app.ctx.db.writer.selectFrom('api_key').select('id').execute()).toEqual([]);
  }));

const tokenOf = (id: number, key: string) => ({
  id,
  user_id: id,
  status: 1,
  key: key.repeat(48),
  unlimited_quota: true,
});

test.each<[string, SourceRows]>([
  ['invitation codes', { users: [user(2, 'alice', { aff_code: 'AAAA' }), user(3, 'bob', { aff_code: 'BBBB' })] }],
  ['passwords', { users: [user(2, 'alice', { password: `$2a$10$${'a'.repeat(53)}` })] }],
  ['tokens', { users: [user(2, 'alice'), user(3, 'bob')], tokens: [tokenOf(2, 'a'), tokenOf(3, 'b')] }],
])('rejects an installation that was imported under another name, by its %s', (_, rows) =>
  withApp(async (app) => {
    await bring(app, rows, 'first');
    const before = await usersOf(app);
    await expect(bring(app, rows, 'second')).rejects.toThrow('use --name first');
    expect(await usersOf(app)).toEqual(before);
    expect((await bring(app, rows, 'first')).counts('user')).toMatchObject({ new: 0, known: rows['users']?.length });
  }),
);

test('imports a second installation in which a few users and tokens are the same', () =>
  withApp(async (app) => {
    const first = [user(2, 'alice', { aff_code: 'AAAA' }), user(3, 'bob', { aff_code: 'BBBB' })];
    await bring(app, { users: first, tokens: [tokenOf(2, 'a')] }, 'first');
    const second = [user(2, 'alice', { aff_code: 'AAAA' }), user(3, 'bob', { aff_code: 'CCCC' }), user(4, 'carol')];
    const tokens = [tokenOf(2, 'a'), tokenOf(3, 'c'), tokenOf(4, 'd')];
    const report = await bring(app, { users: second, tokens }, 'second');
    expect({ user: report.counts('user').new, key: report.counts('key').new }).toEqual({ user: 3, key: 2 });
  }));
