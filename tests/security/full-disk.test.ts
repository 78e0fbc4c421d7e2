/** A full disk refuses every write with 503, and no restart is necessary after space becomes available. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { afterAll, expect, test } from 'vitest';
import { getSqliteEngine } from '../../apps/server/src/testing/any-table.ts';
import { routesByName, useAdminCalls } from './admin-calls.ts';

/** A separate filesystem, which only root may mount, so that the disk is really full. */
const isRoot = process.getuid?.() === 0;
const disk = isRoot ? mountDisk() : undefined;

function mountDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

if (disk === undefined) console.log('left out: a full disk, because no filesystem can be mounted here');
else {
  // Runs last, after the server has closed.
  afterAll(() => {
    execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true });
  });
  await testFullDisk(disk);
}

async function testFullDisk(folder: string): Promise<void> {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const { app, root, calls, prepare, send } = await useAdminCalls(dataDir);
  const filler = join(folder, 'filler');
  const { connection } = getSqliteEngine(app.ctx.db);

  const fill = (): void => {
    // The log releases its space, so that no write finds any in it.
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const file = openSync(filler, 'w');
    try {
      for (const bytes of [1_048_576, 4_096, 1]) writeUntilFull(file, Buffer.alloc(bytes));
    } finally {
      closeSync(file);
    }
  };
  const empty = (): void => rmSync(filler, { force: true });

  async function expectRefusedWhileFull(call: () => Promise<Response>): Promise<void> {
    fill();
    const refused = await call();
    empty();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'unavailable' });
    expect((await call()).status).toBe(200);
  }

  /** Routes that write only their audit entry for the call of the table, which is retried, or only read. */
  const answered = new Map<number, number>();
  for (const call of calls) {
    const [name] = call;
    test(`${name} is refused with 503 on a full disk and works afterwards`, async () => {
      await prepare(name);
      fill();
      try {
        const refused = await send(call);
        const { code } = JSON.parse(await refused.text());
        answered.set(refused.status, (answered.get(refused.status) ?? 0) + 1);
        if (refused.status !== 200)
          expect({ status: refused.status, code }).toEqual({ status: 503, code: 'unavailable' });
        if (refused.status === 503) expect(refused.headers.get('retry-after')).toBe('1');
      } finally {
        empty();
      }
      const response = await send(call);
      expect([200, 404, 409], await response.clone().text()).toContain(response.status);
    });
  }

  test('most routes were refused on the full disk', () => {
    expect(answered.get(503) ?? 0).toBeGreaterThan(calls.length * 0.7);
  });

  test('own writes of a user are refused as well', async () => {
    const own: [name: string, path: string, body: object][] = [
      ['apiKeys.create', '/api/token/', { name: 'full' }],
      ['analytics.createView', '/api/analytics/views', { name: 'full', search: '?a=b' }],
      ['profile.update', '/api/user/self', { display_name: 'Full' }],
    ];
    for (const call of own) await expectRefusedWhileFull(() => send(call));
  });

  test('a sign-in is refused as well', async () => {
    const { username, password } = root;
    const signIn = () =>
      app.anonymous.fetch('/api/user/login', {
        method: 'POST',
        body: JSON.stringify({ username, password }),
        headers: { 'content-type': 'application/json' },
      });
    await expectRefusedWhileFull(signIn);
  });

  test('a relayed call is refused before anything is sent, and is served afterwards', async () => {
    const created = calls.find(([name]) => name === 'channels.create');
    if (created !== undefined) await send(created);
    const model = { model: 'scripted-model', rates: { input: 1, output: 1 } };
    await send(['prices.create', '/api/prices/single', model]);
    const { key } = await root.api(apiKeys).create({ body: { name: 'relay', unlimited_quota: true } });
    const ask = () =>
      fetch(`${app.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'scripted-model', messages: [{ role: 'user', content: 'Hello' }] }),
      });
    fill();
    const refused = await ask();
    empty();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: 'storage_unavailable' } });
    const served = await ask();
    expect(served.status, await served.text()).toBe(200);
  });

  test('lists are read on a full disk', async () => {
    fill();
    const lists = [...routesByName].filter(([, { path }]) => ['/api/token/', '/api/log/'].includes(path));
    for (const [, { path }] of lists.filter(([, { method }]) => method === 'GET'))
      expect((await root.fetch(path)).status).toBe(200);
    empty();
  });
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
