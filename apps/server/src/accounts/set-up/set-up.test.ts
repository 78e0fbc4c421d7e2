import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setUp } from '@switchyard/contract/accounts/set-up';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { status } from '@switchyard/contract/operations/site-info';
import { afterAll, describe, expect, test } from 'vitest';
import { findDatabase } from '../../../../../tests/test-database.ts';
import { ConfigError } from '../../config.ts';
import { createDatabase, startPostgres } from '../../testing/database-server.ts';
import { startTestApp, type TestAppOptions, useTestApp } from '../../testing/start-test-app.ts';
import { signIn } from '../../testing/visitor.ts';
import { prepareFirstStart } from './set-up.ts';

const app = await useTestApp();
const account = { username: 'first', password: 'correct horse' };

test('refuses a wrong code and reports that set-up is needed', async () => {
  const site = await app.anonymous.api(status).get();
  expect(site.set_up_needed).toBe(true);
  const wrong = app.anonymous.api(setUp).createRoot({ body: { ...account, code: 'x'.repeat(43) } });
  await expect(wrong).rejects.toMatchObject({ code: 'link-expired' });
});

test('refuses a common password', async () => {
  const body = { username: 'first', password: 'Password123', code: app.setUpCode ?? '' };
  const common = app.anonymous.api(setUp).createRoot({ body });
  await expect(common).rejects.toMatchObject({ fields: [{ path: 'password', rule: 'common' }] });
});

test('the code makes root once, signs it in and gives it a balance', async () => {
  const code = app.setUpCode ?? '';
  expect(Buffer.from(code, 'base64url')).toHaveLength(32);
  expect(await app.anonymous.api(setUp).check({ body: { code } })).toBeNull();
  const response = await app.anonymous.fetch('/api/setup', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...account, code }),
  });
  expect(response.headers.get('set-cookie')).toContain('HttpOnly');
  const { data } = (await response.json()) as { data: { role: number; quota: number } };
  expect(data).toMatchObject({ role: 100, quota: 100_000_000 });
  const again = app.anonymous.api(setUp).createRoot({ body: { username: 'second', password: 'correct horse', code } });
  await expect(again).rejects.toMatchObject({ code: 'set-up-done' });
  const site = await app.anonymous.api(status).get();
  expect(site.set_up_needed).toBe(false);
});

test('the environment makes root unattended, and no link is printed', async () => {
  const unattended = await startTestApp({ config: { root: { username: 'operator', password: 'from the file' } } });
  expect(unattended.setUpCode).toBeUndefined();
  expect(await signIn(unattended.url, 'operator', 'from the file')).toHaveProperty('cookie');
  await unattended.close();
});

test.each([
  ['ROOT_PASSWORD', { username: 'operator', password: 'Password123' }],
  ['ROOT_USERNAME', { username: 'root@example.com', password: 'from the file' }],
])('refuses a %s that the set-up link refuses, until root exists', async (name, root) => {
  const started = await startTestApp();
  const start = () => prepareFirstStart({ ...started.ctx, config: { ...started.ctx.config, root } });
  const refusal: unknown = await start().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConfigError);
  expect(String(refusal)).toContain(`${name}: `);
  expect(String(refusal)).not.toMatch(/Password123|root@example/);
  await started.anonymous.api(setUp).createRoot({ body: { ...account, code: started.setUpCode ?? '' } });
  expect(await start()).toBeUndefined();
  await started.close();
});

test('a second start neither repeats the first nor forgets that set-up is needed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-start-'));
  const first = await startTestApp({ dataDir });
  await first.ctx.db.writer.deleteFrom('user_group').where('symbol', '=', 'svip').execute();
  await first.close();
  const second = await startTestApp({ dataDir });
  expect(second.setUpCode).not.toBe(first.setUpCode);
  expect(Object.keys(await second.anonymous.api(userGroups).map())).toEqual(['default']);
  const old = second.anonymous.api(setUp).check({ body: { code: first.setUpCode ?? '' } });
  await expect(old).rejects.toMatchObject({ code: 'link-expired' });
  const rows = await second.ctx.db.writer.selectFrom('user_group').select('symbol').execute();
  expect(rows.map(({ symbol }) => symbol)).toEqual(['default', 'vip']);
  await second.close();
  rmSync(dataDir, { recursive: true });
});

test('guessing the code is limited', async () => {
  const guesser = await startTestApp();
  const codes = new Set<string>();
  for (let i = 0; i < 31; i += 1) {
    const guess = guesser.anonymous.api(setUp).check({ body: { code: `guess-number-${String(i).padStart(4, '0')}` } });
    await guess.catch((error: { code: string }) => codes.add(error.code));
  }
  expect([...codes]).toEqual(['link-expired', 'too-many-requests']);
  await guesser.close();
});

describe('nodes that start together on an empty database', async () => {
  const server = (await findDatabase('set-up')) === undefined ? await startPostgres() : undefined;
  afterAll(() => server?.close());

  /** @returns undefined where this machine has no PostgreSQL */
  async function startThree(name: string, config: TestAppOptions['config'] = {}) {
    const databaseUrl = server === undefined ? await findDatabase(name) : await createDatabase(server, name);
    if (databaseUrl === undefined) return undefined;
    const masterKey = randomBytes(32).toString('base64');
    const nodes = await Promise.all(
      Array.from({ length: 3 }, () => startTestApp({ config: { databaseUrl, masterKey, ...config } })),
    );
    return { nodes, close: () => Promise.all(nodes.map((node) => node.close())) };
  }

  test('the link that any of them printed makes root on any other, once', async (context) => {
    const three = await startThree('links');
    if (three === undefined) return context.skip('PostgreSQL is not installed here');
    const codes = three.nodes.map(({ setUpCode }) => setUpCode ?? '');
    for (const node of three.nodes)
      for (const code of codes) expect(await node.anonymous.api(setUp).check({ body: { code } })).toBeNull();
    const [one, two, third] = three.nodes;
    await one?.anonymous.api(setUp).createRoot({ body: { ...account, code: codes[1] ?? '' } });
    for (const node of [two, third])
      await expect(node?.anonymous.api(setUp).check({ body: { code: codes[2] ?? '' } })).rejects.toMatchObject({
        code: 'set-up-done',
      });
    await three.close();
  });

  test('all of them start when the environment names the root account', async (context) => {
    const three = await startThree('unattended', { root: { username: 'operator', password: 'from the file' } });
    if (three === undefined) return context.skip('PostgreSQL is not installed here');
    for (const { url } of three.nodes) expect(await signIn(url, 'operator', 'from the file')).toHaveProperty('cookie');
    await three.close();
  });
});
