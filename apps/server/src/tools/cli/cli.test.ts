import dns from 'node:dns';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { replaceKeyFile } from '../../platform/secrets/master-key.ts';
import { getSqliteEngine } from '../../testing/any-table.ts';
import { type CliEnvironment, runCli, spawnCli } from '../../testing/run-cli.ts';
import { startTestApp } from '../../testing/start-test-app.ts';
import { signIn } from '../../testing/visitor.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
const app = await startTestApp({ dataDir });
const root = await app.createUser('root');
afterAll(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (command: string, folder = dataDir, parameters: readonly string[] = [], variables: CliEnvironment = {}) =>
  runCli([command, ...parameters], { DATA_DIR: folder, ...variables });

test('verify finds nothing wrong beside a running server, and fails when a balance was changed by hand', async () => {
  expect(await run('verify')).toMatchObject({ status: 0, output: expect.stringContaining('0 problems') });
  const change = (by: number) =>
    getSqliteEngine(app.ctx.db).connection.prepare('update user_account set balance = balance + ?').run(by);
  change(7);
  expect(await run('verify')).toMatchObject({
    status: 1,
    output: expect.stringContaining(`balance of user ${root.id}: stored 100000007, computed 100000000`),
  });
  change(-7);
});

test('a new root password ends the sessions and all other sign-in methods, and works at once', async () => {
  const { writer } = app.ctx.db;
  const seed = { user_id: root.id, created_time: 1 };
  await writer
    .insertInto('identity')
    .values({ ...seed, provider: 'github', issuer: 'https://github.com', subject: '7', label: 'thief' })
    .execute();
  await writer.updateTable('user').set({ email: 'thief@example.org' }).where('id', '=', root.id).execute();
  const { status, output } = await run('reset-root-password');
  expect(status).toBe(0);
  expect(await writer.selectFrom('identity').selectAll().execute()).toEqual([]);
  expect(await writer.selectFrom('user').select('email').where('id', '=', root.id).execute()).toEqual([{ email: '' }]);
  const password = /: (\S+)\n/.exec(output)?.[1] ?? '';
  expect((await root.fetch('/api/user/self')).status).toBe(401);
  expect(await signIn(app.url, root.username, password)).toHaveProperty('cookie');
});

test('a new master key needs a stopped server, keeps the old one beside it, and opens everything', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
  const running = await startTestApp({ dataDir: folder });
  const sealed = running.ctx.vault.seal('api-key', 'api_key:1', 'sk-secret');
  const before = readFileSync(join(folder, 'master.key'), 'utf8');
  expect(await run('rotate-master-key', folder)).toMatchObject({
    status: 1,
    output: expect.stringContaining('Another process is using'),
  });
  await running.close();
  expect(await run('rotate-master-key', folder)).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, 'master.key.old'), 'utf8')).toBe(before);
  expect(readFileSync(join(folder, 'master.key'), 'utf8')).not.toBe(before);
  rmSync(join(folder, 'master.key.old'));
  expect(await run('verify', folder)).toMatchObject({ status: 0, output: expect.stringContaining('1 audit entries') });
  const again = await startTestApp({ dataDir: folder });
  expect(again.ctx.vault.open('api-key', 'api_key:1', sealed)).toBe('sk-secret');
  await again.close();
  rmSync(folder, { recursive: true });
});

test('a new master key that was put in place and not yet taken over is taken over at the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
  await (await startTestApp({ dataDir: folder })).close();
  replaceKeyFile(folder);
  await (await startTestApp({ dataDir: folder })).close();
  rmSync(join(folder, 'master.key.old'));
  await (await startTestApp({ dataDir: folder })).close();
  rmSync(folder, { recursive: true });
});

test('the help and invalid arguments change nothing', async () => {
  await app.ctx.db.writer.updateTable('user').set({ role: 'root' }).where('id', '=', root.id).execute();
  const hashes = () => app.ctx.db.writer.selectFrom('user').select(['id', 'password_hash']).execute();
  const [before, key] = [await hashes(), readFileSync(join(dataDir, 'master.key'), 'utf8')];
  for (const name of ['reset-root-password', 'rotate-master-key']) {
    const { status, output } = await run(name, dataDir, ['--help']);
    expect([status, output.match(/^ {2}\w[\w-]+/gm)]).toEqual([0, [`  ${name}`]]);
    expect(await run(name, dataDir, ['now'])).toMatchObject({ status: 1, output: expect.stringContaining('now') });
    expect(await run(name, dataDir, ['--now'])).toMatchObject({
      status: 1,
      output: 'Unknown option --now. This command has no options.\n',
    });
  }
  expect(await run('help')).toMatchObject({ status: 0, output: expect.stringContaining('reset-root-password') });
  expect([await hashes(), readFileSync(join(dataDir, 'master.key'), 'utf8')]).toEqual([before, key]);
});

test('lists its commands, and creates no missing database', async () => {
  expect(await run('bakcup')).toMatchObject({
    status: 2,
    output: expect.stringMatching(/^There is no command "bakcup"\.\n\nUsage/),
  });
  expect(await run('')).toMatchObject({ status: 2, output: expect.stringContaining('reset-root-password') });
  const empty = mkdtempSync(join(tmpdir(), 'switchyard-empty-'));
  for (const command of ['verify', 'reset-root-password', 'rotate-master-key'])
    expect(await run(command, empty)).toMatchObject({
      status: 1,
      output: expect.stringMatching(/no database at \S+\. Set DATA_DIR, or start the server once\./),
    });
  rmSync(empty, { recursive: true });
});

test('a server that refuses at each of its addresses is named as that, without its password', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-refused-'));
  // As localhost is on most machines: more than one address.
  const both = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const lookup = (_name: string, _options: object, done: (error: null, found: typeof both) => void) =>
    setImmediate(done, null, both);
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
  onTestFinished(() => spy.mockRestore());
  const variables = { DATABASE_URL: 'postgres://somebody:secret-word@two-addresses:9/gate' };
  const refused = /connect ECONNREFUSED 127\.0\.0\.1:9; connect ECONNREFUSED 127\.0\.0\.2:9/;
  for (const [command, parameters] of [
    ['verify', []],
    ['reset-root-password', []],
    ['import', ['new-api', '--from', 'postgres://somebody:secret-word@two-addresses:9/old']],
    ['import', ['new-api', '--from', 'mysql://somebody:secret-word@two-addresses:9/old']],
  ] as const) {
    const { status, output } = await run(command, folder, parameters, variables);
    expect([command, status, output]).toEqual([command, 1, expect.stringMatching(refused)]);
    expect(output).not.toContain('secret-word');
  }
  rmSync(folder, { recursive: true });
});

test('each command is a process that exits, with a meaningful exit code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
  const used = await startTestApp({ dataDir: folder });
  await used.createUser('root');
  await used.close();
  for (const [words, status] of [
    [['verify'], 0],
    [['reset-root-password'], 0],
    [['rotate-master-key'], 0],
    [['nonsense'], 2],
  ] as const)
    expect([words, await spawnCli(words, { DATA_DIR: folder })]).toMatchObject([words, { status }]);
  rmSync(folder, { recursive: true });
});
