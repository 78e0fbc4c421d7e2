import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { channels } from '@switchyard/contract/channels/channels';
import { audit } from '@switchyard/contract/operations/audit';
import { secrets } from '@switchyard/contract/operations/data-keys';
import { expect, onTestFinished, test } from 'vitest';
import { apiKeyRoutes } from '../../accounts/api-keys/routes.ts';
import { channelRoutes } from '../../channels/registry/routes.ts';
import type { Context } from '../../context.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { fillTable, named } from '../../testing/fill-table.ts';
import { measureLongestBlock } from '../../testing/measure-longest-block.ts';
import { runInBackground, serveRoutes, startFeatureApp, useFeatureApp } from '../../testing/start-feature-app.ts';
import { auditRoutes } from '../audit/routes.ts';
import { startSchedule } from '../scheduler/scheduler.ts';
import { reencryptSecrets } from './data-keys.ts';
import { countPending, reencryptAll } from './reencrypt-sealed-columns.ts';
import { secretRoutes } from './routes.ts';

const parts = [
  serveRoutes(apiKeys, apiKeyRoutes),
  serveRoutes(audit, auditRoutes),
  serveRoutes(channels, channelRoutes),
  serveRoutes(secrets, secretRoutes),
];

const startResealing = (ctx: Context) =>
  startSchedule(ctx, [{ name: 'reseal-secrets', everyMs: 600_000, atStart: true, run: reencryptSecrets }]);

const app = await useFeatureApp(parts);
const root = await app.createUser('root');
const api = root.api(secrets);
const { ctx } = app;
const row = (id: number) =>
  ctx.db.writer.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('a new data key seals everything again, and every secret still opens', async () => {
  const key = await root.api(apiKeys).create({ body: { name: 'kept' } });
  const [channel] = await root
    .api(channels)
    .create({
      body: {
        name: 'c',
        type: 8,
        base_url: 'http://127.0.0.1:9',
        models: ['m'],
        key: 'sk-channel-0123456789',
        model_headers: { 'x-h': 'header-secret-0123' },
        proxy: 'http://u:proxy-secret@127.0.0.1:9',
      },
    });
  const name = 'setting:hidden';
  const hidden = { name: 'hidden', value: ctx.vault.seal('setting', name, 'sealed setting') };
  const plain = { name: 'plain', value: `v1.2 is out; ${'news '.repeat(20)}` };
  await ctx.db.writer.insertInto('setting').values([hidden, plain]).execute();

  expect(await advanceWhile(app.clock, 0.1, api.rotate())).toMatchObject({ data_keys: 2, pending: 0 });
  expect((await row(key.id)).key_sealed).toMatch(/^v2\.1\./);
  expect(await root.api(apiKeys).reveal({ params: { id: key.id } })).toBe(key.key);
  expect(await root.api(channels).get({ params: { id: channel?.id ?? (key.id as never) } })).toMatchObject({
    model_headers: { 'x-h': expect.stringMatching(/0123$/) },
  });
  const settings = await ctx.db.writer
    .selectFrom('setting')
    .selectAll()
    .where('name', 'in', ['hidden', 'plain'])
    .orderBy('name')
    .execute();
  expect(ctx.vault.open('setting', name, settings[0]?.value ?? '')).toBe('sealed setting');
  expect(settings[0]?.value).toMatch(/^v2\.1\./);
  expect(settings[1]).toEqual(plain);
  expect(await root.api(audit).verify()).toMatchObject({ intact: true });
  const [entry] = (await root.api(audit).list({ query: { action: 'secret.' } })).data;
  expect(entry).toMatchObject({ action: 'secret.rotate', target: 'data_key:1', user_id: root.id });
});

test('needs a password check of the last minutes', async () => {
  app.clock.advance(601);
  await expect(api.rotate()).rejects.toMatchObject({ code: 'step-up-required' });
  const again = await app.createUser('admin');
  await expect(again.api(secrets).rotate()).rejects.toMatchObject({ code: 'not-allowed' });
});

/** A new data key without encrypted values, as a process leaves it that is killed in that moment. */
async function takeOver(parts = ctx): Promise<number> {
  const key = parts.vault.createKey(parts.vault.newestKey + 1);
  const created_time = Math.floor(parts.clock.now() / 1000);
  await parts.db.writer
    .insertInto('data_key')
    .values({ ...key, created_time })
    .execute();
  parts.vault.addKey(key);
  parts.vault.activateKey(key.id);
  return key.id;
}

test('a secret that is stored while its old one is sealed again is not overwritten', async () => {
  const { id } = await root.api(apiKeys).create({ body: { name: 'changing' } });
  await takeOver();
  const newer = ctx.vault.seal('api-key', `api_key:${id}`, 'sk-stored-meanwhile');
  let stored = false;
  const older = (await row(id)).key_sealed;
  const reader = ctx.db.reader.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!stored && result.rows.some(({ sealed }) => sealed === older)) {
        stored = true;
        await ctx.db.writer.updateTable('api_key').set({ key_sealed: newer }).where('id', '=', id).execute();
      }
      return result;
    },
  });
  await reencryptAll({ ...ctx, db: { ...ctx.db, reader } }, performance.now() + 10_000);
  expect(stored).toBe(true);
  expect((await row(id)).key_sealed).toBe(newer);
});

test('a secret that does not open stays as it is, and holds up no other', async () => {
  const broken = await root.api(apiKeys).create({ body: { name: 'broken' } });
  const sound = await root.api(apiKeys).create({ body: { name: 'sound' } });
  const moved = (await row(sound.id)).key_sealed;
  await ctx.db.writer.updateTable('api_key').set({ key_sealed: moved }).where('id', '=', broken.id).execute();
  const id = await takeOver();
  await reencryptSecrets(ctx);
  expect((await row(broken.id)).key_sealed).toBe(moved);
  expect((await row(sound.id)).key_sealed.startsWith(`v2.${id}.`)).toBe(true);
  await ctx.db.writer.updateTable('api_key').set({ key_sealed: '' }).where('id', '=', broken.id).execute();
});

test('data keys that nothing uses go after a while; the first one and the newest never', async () => {
  const newest = await takeOver();
  const ids = async () =>
    (await ctx.db.writer.selectFrom('data_key').select('id').orderBy('id').execute()).map(({ id }) => id);
  await reencryptSecrets(ctx);
  expect((await ids()).length).toBeGreaterThan(2);
  app.clock.advance(601);
  await reencryptSecrets(ctx);
  expect(await ids()).toEqual([0, newest]);
});

test('searches 150,000 codes for uses of six older data keys without blocking others', async () => {
  for (let rotation = 0; rotation < 7; rotation += 1) await takeOver();
  app.clock.advance(601);
  const code_sealed = ctx.vault.seal('redemption-code', 'redemption_code:any', 'code');
  await fillTable(ctx, 'code_batch', 1, { id: 1, quota: 1, count: 150_000 });
  await fillTable(ctx, 'redemption_code', 150_000, {
    batch_id: 1,
    code_hash: named('hash-'),
    code_sealed,
    status: 'used',
  });
  const turn = await measureLongestBlock(() => reencryptSecrets(ctx));
  const keys = await ctx.db.reader.selectFrom('data_key').select('id').execute();
  expect(keys).toHaveLength(2);
  expect(turn).toBeLessThan(50);
});

test('a node that learns of a data key long after the rotation encrypts with it at once', async () => {
  const late = await startFeatureApp(parts, { now: Date.UTC(2026, 0, 2) });
  onTestFinished(() => late.close());
  const { vault, db, clock, changes } = late.ctx;
  const key = vault.createKey(vault.newestKey + 1);
  await db.writer
    .insertInto('data_key')
    .values({ ...key, created_time: Math.floor(clock.now() / 1000) - 600 })
    .execute();
  await changes.publish({ topic: 'data-keys' });
  await expect.poll(() => vault.newestKey).toBe(key.id);
});

test('a process that dies during the rotation leaves all secrets readable, and the next one continues', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-rotate-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const masterKey = randomBytes(32).toString('hex');
  const first = await startFeatureApp(parts, { dataDir, config: { masterKey } });
  const owner = await first.createUser('root');
  const key = await owner.api(apiKeys).create({ body: { name: 'kept' } });
  await takeOver(first.ctx);
  await reencryptAll(first.ctx, 0);
  expect(await countPending(first.ctx)).toBeGreaterThan(0);
  expect(await owner.api(apiKeys).reveal({ params: { id: key.id } })).toBe(key.key);
  await first.close();

  const second = await startFeatureApp([...parts, runInBackground(startResealing)], { dataDir, config: { masterKey } });
  second.clock.advance(2);
  await expect.poll(() => countPending(second.ctx)).toBe(0);
  const { key_sealed } = await second.ctx.db.writer
    .selectFrom('api_key')
    .select('key_sealed')
    .executeTakeFirstOrThrow();
  expect(second.ctx.vault.open('api-key', `api_key:${key.id}`, key_sealed)).toBe(key.key);
  await second.close();
});
