import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startTestApp } from '../testing/start-test-app.ts';
import { signIn } from '../testing/visitor.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
const app = await startTestApp({ dataDir });
const root = await app.createUser('root');
afterAll(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function run(command: string, folder = dataDir) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../cli.ts'), command],
    { env: { DATA_DIR: folder }, encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

test('verify finds nothing wrong beside a running server, and fails when a balance was changed by hand', () => {
  expect(run('verify')).toMatchObject({ status: 0, output: expect.stringContaining('0 problems') });
  const change = (by: number) =>
    app.ctx.db.connection.prepare('update user_account set balance = balance + ?').run(by);
  change(7);
  expect(run('verify')).toMatchObject({
    status: 1,
    output: expect.stringContaining(`balance of user ${root.id}: stored 100000007, computed 100000000`),
  });
  change(-7);
});

test('a new root password ends the sessions and works at once', async () => {
  const { status, output } = run('reset-root-password');
  expect(status).toBe(0);
  const password = /: (\S+)\n/.exec(output)?.[1] ?? '';
  expect((await root.fetch('/api/user/self')).status).toBe(401);
  expect(await signIn(app.url, root.username, password)).toHaveProperty('cookie');
});

test('says what it can do, and makes no database where there is none', () => {
  expect(run('')).toMatchObject({ status: 2, output: expect.stringContaining('reset-root-password') });
  const empty = mkdtempSync(join(tmpdir(), 'switchyard-empty-'));
  for (const command of ['verify', 'reset-root-password'])
    expect(run(command, empty)).toMatchObject({ status: 1, output: expect.stringContaining('no database') });
  rmSync(empty, { recursive: true });
});
