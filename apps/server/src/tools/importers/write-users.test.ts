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

async function bring(app: FeatureApp, rows: SourceRows) {
  const file = join(folder, `${crypto.randomUUID()}.db`);
  await writeSqliteSource(file, 'new-api', rows);
  return importIntoApp(app, file, 'new-api');
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

test('a user without a usable id takes nobody else’s', () =>
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
