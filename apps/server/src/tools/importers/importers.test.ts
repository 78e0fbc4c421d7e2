import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn as signInContract } from '@switchyard/contract/accounts/sign-in';
import { MysqlDialect, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signInRoutes } from '../../accounts/sign-in/routes.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { openMysqlPool, openPostgresPool } from '../../testing/database-server.ts';
import { checkImportedRows, importIntoApp, sampleInstallations } from '../../testing/import-into-app.ts';
import {
  createEmptyDatabase,
  createEmptyMariadb,
  sharedMariadb,
  sharedPostgres,
} from '../../testing/shared-servers.ts';
import { fillSource, writeSqliteSource } from '../../testing/source-database.ts';
import { OLD_PASSWORD } from '../../testing/source-rows.ts';
import { type FeatureApp, serveRoutes, startFeatureApp } from '../../testing/start-feature-app.ts';
import { signIn } from '../../testing/visitor.ts';
import { productNames } from './importers.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-imports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function withNewApp(use: (app: FeatureApp) => Promise<void>): Promise<void> {
  const app = await startFeatureApp([serveRoutes(signInContract, signInRoutes)]);
  try {
    await use(app);
  } finally {
    await app.close();
  }
}

describe.each(productNames)('%s on SQLite', (product) => {
  const file = join(folder, `${product}.db`);
  beforeAll(() => writeSqliteSource(file, product, sampleInstallations[product]));

  test('comes over once, and a dry run changes nothing', () =>
    withNewApp(async (app) => {
      const dry = await importIntoApp(app, file, product, { dryRun: true });
      expect(await app.ctx.db.writer.selectFrom('user').selectAll().execute()).toEqual([]);
      const report = await importIntoApp(app, file, product);
      expect(report.lines()).toEqual(dry.lines());
      await checkImportedRows(app, report);
      expect(await signIn(app.url, 'alice', OLD_PASSWORD)).toHaveProperty('cookie');
      // The next account gets a new id.
      expect(await app.createUser('user')).toMatchObject({ id: 8 });
      const again = await importIntoApp(app, file, product);
      expect(again.counts('user')).toMatchObject({ new: 0, known: 6 });
      expect(again.counts('key')).toMatchObject({ new: 0, known: 4 });
      expect(again.counts('channel')).toMatchObject({ new: 0 });
      expect(again.counts('code')).toMatchObject({ new: 0 });
      expect(again.counts('log')).toMatchObject({ new: 0 });
    }));

  test('leaves existing users and their data unchanged', () =>
    withNewApp(async (app) => {
      const here = await app.createUser('root', { username: 'alice', quota: 5 });
      const report = await importIntoApp(app, file, product);
      expect(report.lines().join('\n')).toContain('alice → alice-2');
      const rows = await app.ctx.db.writer.selectFrom('user').select(['id', 'username', 'role']).execute();
      expect(rows).toMatchObject([{ id: here.id, username: 'alice', role: 'root' }, {}, {}, {}, {}, {}, {}]);
      expect(rows.find(({ username }) => username === 'root')).toMatchObject({ role: 'admin' });
      expect(report.differences).toEqual([]);
      expect((await verifyLedger(app.ctx.db.writer)).problems).toEqual([]);
    }));
});

test('New API’s ratios, limits and linked accounts are converted to their equivalents', () =>
  withNewApp(async (app) => {
    const file = join(folder, 'new-api.db');
    const report = await importIntoApp(app, file, 'new-api');
    const { writer } = app.ctx.db;
    const prices = await writer.selectFrom('price').select(['model', 'type', 'rates']).execute();
    const ratesOf = (model: string) => JSON.parse(prices.find((row) => row.model === model)?.rates ?? '{}');
    expect(ratesOf('gpt-4o')).toMatchObject({ input: 1_250_000_000, output: 5_000_000_000, cachedRead: 625_000_000 });
    // The source has no prices of searches.
    expect(ratesOf('gpt-4o')).toMatchObject({ webSearch: 5_000_000_000_000, fileSearch: 1_250_000_000_000 });
    expect(ratesOf('drawing')).toMatchObject({ webSearch: null, fileSearch: null });
    expect(ratesOf('claude-3-opus')).toMatchObject({ cacheWrite5m: 9_375_000_000, cacheWrite1h: 15_000_000_000 });
    expect(ratesOf('drawing')).toMatchObject({ input: 50_000_000_000_000 });
    const setting = await writer
      .selectFrom('api_key')
      .select(['setting', 'group_symbol'])
      .where('id', '=', 2)
      .execute();
    expect(JSON.parse(setting[0]?.setting ?? '')).toMatchObject({
      limits: {
        limit_model_setting: { models: ['gpt-4o', 'o1'] },
        limits_ip_setting: { whitelist: ['10.1.2.3', '10.2.0.0/16'] },
      },
    });
    expect(
      await writer
        .selectFrom('identity')
        .select(['provider', 'issuer', 'subject', 'user_id'])
        .orderBy('provider')
        .execute(),
    ).toEqual([
      { provider: 'oidc', issuer: 'https://id.example.org', subject: 'sub-2', user_id: 2 },
      { provider: 'telegram', issuer: 'https://telegram.org', subject: '777', user_id: 2 },
    ]);
    expect(report.counts('identity')).toEqual({ read: 3, new: 2, known: 0, skipped: 1 });
    expect(await writer.selectFrom('channel').select(['name', 'provider']).orderBy('id').execute()).toMatchObject([
      { provider: 'custom' },
      { name: 'deepseek', provider: 'deepseek' },
    ]);
  }));

test.each<[(number | null)[], number[], string[]]>([
  [[0, 7], [0, 7], []],
  [
    [-5, 0, 3],
    [0, 5, 8],
    ['all priorities are raised', ': by 5\n'],
  ],
  [
    [-3, null],
    [0, 3],
    ['all priorities are raised', ': by 3\n'],
  ],
  [
    [2_000_000, 1, null],
    [1_000_000, 1, 0],
    ['its priority is limited', ': 1 (channel-1) 2000000 → 1000000\n'],
  ],
  [
    [-1_000_000, 0, 1],
    [0, 1_000_000, 1_000_000],
    ['all priorities are raised', 'its priority is limited', ': 3 (channel-3) 1000001 → 1000000\n'],
  ],
])('channels with the priorities %j keep their order or are listed', (priorities, expected, told) =>
  withNewApp(async (app) => {
    const file = join(folder, `${crypto.randomUUID()}.db`);
    const channels = priorities.map((priority, at) => ({
      id: at + 1,
      type: 8,
      key: 'sk-upstream-secret-0001',
      status: 1,
      name: `channel-${at + 1}`,
      models: 'gpt-4o',
      group: 'default',
      base_url: 'https://93.184.215.14',
      priority,
    }));
    await writeSqliteSource(file, 'new-api', { channels });
    const report = await importIntoApp(app, file, 'new-api');
    const rows = await app.ctx.db.writer.selectFrom('channel').select('priority').orderBy('id').execute();
    expect(rows.map(({ priority }) => priority)).toEqual(expected);
    const lines = report.lines().join('\n');
    for (const part of told) expect(lines).toContain(part);
    if (told.length === 0) expect(lines).not.toContain('priorit');
  }),
);

test('a file that is none of the product’s is refused in a sentence', async () => {
  const file = join(folder, 'one-api.db');
  await withNewApp(async (app) => {
    await expect(importIntoApp(app, file, 'one-hub')).rejects.toThrow('user_groups');
    await expect(importIntoApp(app, join(folder, 'absent.db'), 'one-hub')).rejects.toThrow('There is no file');
    await expect(importIntoApp(app, 'ftp://example.org/x', 'one-hub')).rejects.toThrow('not ftp://');
  });
});

test.each([
  ['one-hub', 'new-api', 'one-hub or done-hub'],
  ['one-hub', 'one-api', 'one-hub or done-hub'],
  ['new-api', 'one-api', 'new-api'],
  ['one-api', 'new-api', 'one-api'],
] as const)(
  'a database of %s that is called %s is refused by its name, and nothing comes over',
  (product, called, told) =>
    withNewApp(async (app) => {
      await expect(importIntoApp(app, join(folder, `${product}.db`), called)).rejects.toThrow(
        `This is a database of ${told}, not of ${called}`,
      );
      expect(await app.ctx.db.writer.selectFrom('user').select('id').execute()).toEqual([]);
    }),
);

test('distinguishes a file that is no database from this server’s own', async () => {
  const file = join(folder, 'noise.db');
  writeFileSync(file, 'noise '.repeat(1_000));
  await withNewApp(async (app) => {
    for (const from of [file, folder])
      await expect(importIntoApp(app, from, 'one-hub')).rejects.toThrow('The database cannot be read: ');
  });
});

const servers = [
  ['postgres', 'PostgreSQL', sharedPostgres, createEmptyDatabase],
  ['mysql', 'MariaDB', sharedMariadb, createEmptyMariadb],
] as const;

describe.each(servers)('%s', (engine, name, start, newDatabase) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start();
  });

  test.for(productNames)('%s comes over as from SQLite', async (product, { skip }) => {
    if (server === undefined) return skip(`this machine has no ${name}`);
    const uri = await newDatabase(server);
    const dialect =
      engine === 'postgres'
        ? new PostgresDialect({ pool: openPostgresPool(uri) })
        : new MysqlDialect({ pool: openMysqlPool(uri) });
    await fillSource(dialect, engine, product, sampleInstallations[product]);
    await withNewApp(async (app) => checkImportedRows(app, await importIntoApp(app, uri, product)));
  });
});
