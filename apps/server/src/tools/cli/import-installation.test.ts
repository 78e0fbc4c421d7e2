import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { PostgresDialect, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import {
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../../../tests/scripted-upstream/scripted-upstream.ts';
import { findDatabase } from '../../../../../tests/test-database.ts';
import { systemTimers } from '../../platform/clock.ts';
import { createDatabase, openPostgresPool } from '../../testing/database-server.ts';
import { type CliEnvironment, runCli, spawnCli } from '../../testing/run-cli.ts';
import { fillSource, writeSqliteSource } from '../../testing/source-database.ts';
import { LIMITED_KEY, OLD_CODE, OLD_KEY, OLD_PASSWORD, oneHubRows } from '../../testing/source-rows.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createVisitor, signIn } from '../../testing/visitor.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-import-'));
const file = join(folder, 'one-hub.db');
const dataDir = join(folder, 'data');
/** Undefined: the file in the folder. */
let databaseUrl: string | undefined;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  databaseUrl = await findDatabase(dataDir);
  upstream = await startScriptedUpstream();
  await writeSqliteSource(file, 'one-hub', oneHubRows(upstream.url));
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (command: string, ...parameters: string[]) => runIn(dataDir, command, ...parameters);

const variablesIn = (ownDir: string): CliEnvironment => ({
  DATA_DIR: ownDir,
  IMPORT_KEY: 'sk-master-of-proxy',
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
});
const runIn = (ownDir: string, ...words: string[]) => runCli(words, variablesIn(ownDir));

/** A LiteLLM proxy with one user, who has no keys. */
async function startProxy() {
  const answers: Readonly<Record<string, unknown>> = {
    '/user/list': { users: [{ user_id: 'u-1', user_alias: 'dora', spend: 1, max_budget: 3 }], total_pages: 1 },
    '/key/list': { keys: [], total_pages: 0 },
    '/team/list': [],
    '/model/info': { data: [] },
  };
  const server = createServer((request, response) => {
    const isRight = request.headers.authorization === 'Bearer sk-master-of-proxy';
    response.statusCode = isRight ? 200 : 401;
    response.end(JSON.stringify(answers[(request.url ?? '').split('?', 1)[0] ?? '']));
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

const figures = (output: string, kind: string): number[] =>
  (new RegExp(`^${kind} +(.+)$`, 'm').exec(output)?.[1] ?? '').trim().split(/\s+/).map(Number);

async function withApp(use: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await startTestApp({ dataDir });
  try {
    await use(app);
  } finally {
    await app.close();
  }
}

const chat = (app: TestApp, key: string): Promise<Response> =>
  fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'Say something.' }] }),
  });

const balanceOf = async (app: TestApp, username: string): Promise<number> => {
  const row = await app.ctx.db.writer
    .selectFrom('user')
    .innerJoin('user_account', 'user_account.user_id', 'user.id')
    .select('balance')
    .where('username', '=', username)
    .executeTakeFirstOrThrow();
  return row.balance;
};

test('a dry run reports the import and changes neither installation', async () => {
  const before = readFileSync(file);
  const { status, output } = await run('import', 'one-hub', '--from', file, '--dry-run', '--logs', 'all');
  expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining('dry run') });
  expect(figures(output, 'user')).toEqual([7, 6, 0, 1]);
  expect(output).toContain('SystemName = The old site');
  if (databaseUrl === undefined) expect(existsSync(dataDir)).toBe(false);
  else
    await withApp(async (app) => expect(await app.ctx.db.writer.selectFrom('user').select('id').execute()).toEqual([]));
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('prints no control character of a name in the source', async () => {
  const foreign = join(folder, 'foreign.db');
  copyFileSync(file, foreign);
  const connection = new DatabaseSync(foreign);
  connection.exec(`update users set username = username || char(27) || '[2J'`);
  connection.close();
  const { status, output } = await run('import', 'one-hub', '--from', foreign, '--dry-run');
  expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining('[2J → ') });
  expect(output).not.toContain('\u001b');
});

test('an installation comes over once, whole, and without a secret on the screen', async () => {
  const words = ['import', 'one-hub', '--from', file, '--logs', 'all'];
  const { status, output } = await spawnCli(words, variablesIn(dataDir));
  expect({ status, output }).toMatchObject({ status: 0 });
  expect({
    group: figures(output, 'group'),
    user: figures(output, 'user'),
    key: figures(output, 'key'),
    channel: figures(output, 'channel'),
    price: figures(output, 'price'),
    code: figures(output, 'code'),
    order: figures(output, 'order'),
    log: figures(output, 'log'),
  }).toEqual({
    group: [3, 3, 0, 0],
    user: [7, 6, 0, 1],
    key: [6, 4, 0, 2],
    channel: [4, 2, 0, 2],
    price: [5, 4, 0, 1],
    code: [3, 2, 0, 1],
    order: [2, 2, 0, 0],
    log: [2, 1, 0, 1],
  });
  expect(output).toContain('107649333 points in the source, 107649333 points here, no differences');
  expect(output).toContain('ab → ab-4');
  expect(output).toContain('ALICE → ALICE-5');
  expect(output).toContain('a rate is rounded to a billionth of a point: scripted*');
  for (const secret of [OLD_KEY, LIMITED_KEY, OLD_CODE, 'sk-upstream', 'smtp-secret', '$2'])
    expect(output).not.toContain(secret);
  expect(await run('verify')).toMatchObject({ status: 0, output: expect.stringContaining('0 problems') });

  const again = await run('import', 'one-hub', '--from', file, '--logs', 'all');
  expect(figures(again.output, 'user')).toEqual([7, 0, 6, 1]);
  expect(figures(again.output, 'key')).toEqual([6, 0, 4, 2]);
  expect(figures(again.output, 'price')).toEqual([5, 0, 4, 1]);
  expect(figures(again.output, 'log')).toEqual([2, 0, 2, 0]);
});

test('a node that has started meanwhile is notified', async ({ skip }) => {
  if (databaseUrl === undefined) return skip('a file has one process');
  const pool = openPostgresPool(databaseUrl);
  const versionOf = async (): Promise<number> => {
    const { rows } = await pool.query("select version::int from change_version where topic = 'api-keys'");
    return Number(rows[0]?.version ?? 0);
  };
  const before = await versionOf();
  expect(await run('import', 'one-hub', '--from', file, '--dry-run')).toMatchObject({ status: 0 });
  expect(await versionOf()).toBe(before);
  expect(await run('import', 'one-hub', '--from', file)).toMatchObject({ status: 0 });
  expect(await versionOf()).toBe(before + 1);
  await pool.end();
});

test('signs in with the old password, and stores it in this product’s format', () =>
  withApp(async (app) => {
    const hashOf = async () =>
      (
        await app.ctx.db.writer
          .selectFrom('user')
          .select('password_hash')
          .where('username', '=', 'alice')
          .executeTakeFirstOrThrow()
      ).password_hash;
    expect(await hashOf()).toMatch(/^\$2/);
    await expect(signIn(app.url, 'alice', 'another password')).rejects.toThrow();
    expect(await hashOf()).toMatch(/^\$2/);
    const alice = createVisitor(app.url, await signIn(app.url, 'alice', OLD_PASSWORD));
    expect(await hashOf()).toMatch(/^\$argon2id\$/);
    expect(await signIn(app.url, 'alice', OLD_PASSWORD)).toHaveProperty('cookie');
    const self = (await (await alice.fetch('/api/user/self')).json()) as { data: Record<string, unknown> };
    expect(self.data).toMatchObject({
      id: 2,
      display_name: '爱丽丝',
      group: 'vip',
      quota: 7_654_321,
      used_quota: 1_234,
      request_count: 56,
    });
    await expect(signIn(app.url, 'debtor', OLD_PASSWORD)).rejects.toThrow();
    expect(await balanceOf(app, 'debtor')).toBe(-5_000);
    expect(await alice.api(redemptionCodes).redeem({ body: { key: OLD_CODE } })).toBe(500);
    await expect(alice.api(redemptionCodes).redeem({ body: { key: 'f'.repeat(32) } })).rejects.toThrow();
    expect(await balanceOf(app, 'alice')).toBe(7_654_821);
  }));

test('old keys call the old channels, with their front or without, and are charged by the old prices', () =>
  withApp(async (app) => {
    const before = await balanceOf(app, 'alice');
    for (const key of [OLD_KEY, `sk-${OLD_KEY}`]) expect((await chat(app, key)).status).toBe(200);
    expect((await chat(app, `sk-${OLD_KEY.slice(0, -1)}X`)).status).toBe(401);
    expect((await chat(app, 'expired-key-0123456789-0123456789')).status).not.toBe(200);
    expect((await chat(app, LIMITED_KEY)).status).toBe(403);
    await app.ctx.ledger.transaction(async () => {});
    expect(await balanceOf(app, 'alice')).toBeLessThan(before);
    const rates = await app.ctx.db.writer.selectFrom('price').select(['model', 'rates']).execute();
    const ratesOf = (model: string) => JSON.parse(rates.find((row) => row.model === model)?.rates ?? '{}');
    expect(ratesOf('gpt-4o')).toMatchObject({ input: 1_250_000_000, output: 5_000_000_000, cachedRead: 625_000_000 });
    expect(ratesOf('claude-3-opus')).toMatchObject({ cacheWrite5m: 9_375_000_000, cachedRead: 750_000_000 });
    expect(ratesOf('drawing')).toMatchObject({ input: 50_000_000_000_000 });
    const { rows } = await sql<Record<string, unknown>>`select name, status, key_hint, models, groups, weight
      from channel order by id`.execute(app.ctx.db.writer);
    expect(rows).toMatchObject([
      { name: 'scripted', status: 'enabled', weight: 1, groups: '["default","vip"]' },
      { name: 'claude', status: 'enabled', groups: '["default","vip"]' },
    ]);
    expect(await app.ctx.db.writer.selectFrom('identity').select(['provider', 'subject', 'user_id']).execute()).toEqual(
      [{ provider: 'github', subject: '4242', user_id: 2 }],
    );
  }).then(async () =>
    expect(await run('verify')).toMatchObject({ status: 0, output: expect.stringContaining('0 problems') }),
  ));

test('a LiteLLM proxy comes over by its admin API, beside what came before', async () => {
  const proxy = await startProxy();
  const { status, output } = await run('import', 'litellm', '--from', proxy.url);
  proxy.close();
  expect({ status, output }).toMatchObject({
    status: 0,
    output: expect.stringContaining('1000000 points in the source, 1000000 points here, no differences'),
  });
  expect(await run('verify')).toMatchObject({ status: 0, output: expect.stringContaining('0 problems') });
});

test('a source that is slow to answer is waited for', async ({ skip }) => {
  const uri = process.env['TEST_POSTGRES'];
  if (uri === undefined) return skip('a file has no limit for it');
  const source = await createDatabase({ uri }, `slow_${process.pid}`);
  await fillSource(
    new PostgresDialect({ pool: openPostgresPool(source) }),
    'postgres',
    'one-hub',
    oneHubRows(upstream.url),
  );
  const pool = openPostgresPool(source);
  const holder = await pool.connect();
  await holder.query('begin; lock table logs in access exclusive mode');
  // Longer than the server leaves a transaction idle.
  const released = systemTimers.after(25_000, () => void holder.query('commit'));
  const ownDir = mkdtempSync(join(tmpdir(), 'switchyard-import-slow-'));
  copyFileSync(join(dataDir, 'master.key'), join(ownDir, 'master.key'));
  const { status, output } = await runIn(ownDir, 'import', 'one-hub', '--from', source, '--logs', 'all');
  expect({ status, output }).toMatchObject({ status: 0 });
  expect(figures(output, 'log')[0]).toBe(2);
  released.close();
  holder.release();
  await pool.end();
  rmSync(ownDir, { recursive: true, force: true });
});

test.each([
  ['Name the product to import from', []],
  ['Name the product to import from', ['two-api', '--from', 'x']],
  ['Name the source', ['one-hub']],
  ['There is no file', ['one-hub', '--from', '/nowhere/one-hub.db']],
  ['--logs must be a whole number', ['one-hub', '--from', file, '--logs', 'some']],
  ['--name can contain only letters', ['one-hub', '--from', file, '--name', 'a b']],
  ['Unknown option --all. This command has: --', ['one-hub', '--from', file, '--all']],
  ['must begin with https://', ['litellm', '--from', 'proxy.example']],
])('a wrong parameter is refused in a sentence: %s', async (sentence, parameters) => {
  const { status, output } = await run('import', ...parameters);
  expect(status).toBe(1);
  expect(output).toContain(sentence);
  expect(output.trim().split('\n').length).toBeLessThanOrEqual(2);
});

test('while a server runs nothing is written', () =>
  withApp(async () => {
    expect(await run('import', 'one-hub', '--from', file, '--name', 'second')).toMatchObject({
      status: 1,
      output: expect.stringContaining('Another process is using'),
    });
    if (databaseUrl === undefined) return;
    const elsewhere = mkdtempSync(join(tmpdir(), 'switchyard-import-elsewhere-'));
    copyFileSync(join(dataDir, 'master.key'), join(elsewhere, 'master.key'));
    expect(await runIn(elsewhere, 'import', 'one-hub', '--from', file, '--name', 'second')).toMatchObject({
      status: 1,
      output: expect.stringContaining('These nodes are running'),
    });
    rmSync(elsewhere, { recursive: true, force: true });
  }));
