/** The files reveal no secret without the master key, and the replacement of keys interrupts no request. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { setUp } from '@switchyard/contract/accounts/set-up';
import { signIn as signInContract } from '@switchyard/contract/accounts/sign-in';
import { signUp } from '@switchyard/contract/accounts/sign-up';
import { users } from '@switchyard/contract/accounts/users';
import { features } from '@switchyard/contract/all-feature-routes';
import { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import { channels } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import { contentSafety, type SafetyRuleForm, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { secrets } from '@switchyard/contract/operations/data-keys';
import { notifications } from '@switchyard/contract/operations/notifications';
import { isSecret, settingDefinitions, settingNames, settings } from '@switchyard/contract/operations/settings';
import type { Routes } from '@switchyard/contract/route';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { issueSecret } from '../../apps/server/src/accounts/one-time-secrets/one-time-secrets.ts';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { listTables, readRows, runSql } from '../../apps/server/src/testing/any-table.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { addTotp } from '../../apps/server/src/testing/second-factors.ts';
import { startTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createBrowserVisitor, signIn } from '../../apps/server/src/testing/visitor.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { listSecretForms } from './secret-forms.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-at-rest-'));
const scene: RelayScene = await startRelayScene({ dataDir });
afterAll(async () => {
  await scene.close();
  rmSync(dataDir, { recursive: true, force: true });
});
const { admin, user, ctx } = scene;

const planted: string[] = [];
/** Returns a unique secret, and records it. */
function canary(kind: string): string {
  const text = `canary${kind}${randomBytes(12).toString('hex')}`;
  planted.push(text);
  return text;
}
/** Records a secret that the server generated. */
function remember(secret: string): string {
  planted.push(secret);
  return secret;
}

const channelSecrets = () => ({
  key: canary('key'),
  model_headers: { 'x-one': canary('header'), 'x-two': canary('header') },
  proxy: `http://someone:${canary('proxy')}@127.0.0.1:9`,
});

async function plantInChannels(): Promise<void> {
  const form = { name: 'planted', type: 8, base_url: scene.upstream.url, models: ['planted'] };
  const [first] = await admin
    .api(channels)
    .create({ body: { ...form, ...channelSecrets(), key: `${canary('key')}\n${canary('key')}\n${canary('key')}` } });
  const id = first?.id as ChannelId;
  for (let i = 0; i < 3; i += 1) await admin.api(channels).update({ body: { id, ...channelSecrets() } });
  await admin.api(channels).updateById({ params: { id }, body: channelSecrets() });
  await admin.api(channelKeys).add({ params: { id }, body: { key: canary('key') } });
  const pending = admin.api(channels).fetchModels({ body: { ...form, ...channelSecrets() } });
  await pending.catch(() => undefined);
}

async function plantInAccounts(): Promise<void> {
  const [created, changed, own, wrong] = [1, 2, 3, 4].map(() => canary('password')) as [string, string, string, string];
  const { id } = await admin.api(users).create({ body: { username: 'planted', password: created } });
  await admin.api(users).update({ body: { id, password: changed } });
  remember((await signIn(scene.url, 'planted', changed)).cookie.match(/session=([^;]+)/)?.[1] ?? '');
  await user.api(profile).update({ body: { password: own, current_password: user.password } });
  planted.push(user.password, admin.password);
  await user
    .api(profile)
    .stepUp({ body: { password: wrong } })
    .catch(() => undefined);
  await user.api(profile).stepUp({ body: { password: own } });
  // Users sometimes type passwords into the field for the name.
  for (const username of [canary('name'), 'planted'])
    await scene.anonymous.fetch('/api/user/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: canary('password') }),
    });
}

async function plantSecondFactor(): Promise<void> {
  const person = await scene.createUser('user');
  const { secret } = await person.api(secondFactor).beginTotp();
  remember(secret);
  const totp = await addTotp(person, () => Date.now());
  for (const code of totp.recoveryCodes) remember(code);
  const here = createBrowserVisitor(scene.url);
  const { username, password } = person;
  await here
    .api(signInContract)
    .signIn({ body: { username, password } })
    .catch(() => undefined);
  await here.api(secondFactor).signIn({ body: { code: totp.recoveryCodes[0] ?? '' } });
  remember(/session=([^;]+)/.exec(here.identity['cookie'] ?? '')?.[1] ?? '');
}

async function plantInSignUp(): Promise<void> {
  await scene.anonymous.api(signUp).register({ body: { username: 'planted-too', password: canary('password') } });
  const { id } = await scene.createUser('user', { username: 'forgetful' });
  await scene.ctx.db.writer.updateTable('user').set({ email: 'f@example.org' }).where('id', '=', id).execute();
  const scope = { purpose: 'password-reset', deviceHash: '', userId: id, subject: 'f@example.org' } as const;
  const token = remember(await issueSecret(scene.ctx, { ...scope, seconds: 900 }));
  await scene.anonymous
    .api(signUp)
    .resetPassword({ body: { email: 'f@example.org', token, password: canary('password') } });
}

async function plantInSettings(): Promise<void> {
  const options = settingNames.filter(isSecret).map((name) => settingDefinitions[name].option);
  expect(options.length).toBeGreaterThan(3);
  const secretOf = (key: string) => ({ key, value: canary('setting') });
  await admin.api(settings).updateMany({ body: options.map(secretOf) });
  for (const key of options.slice(0, 2)) await admin.api(settings).update({ body: secretOf(key) });
}

async function plantCodes(): Promise<void> {
  const codes = await admin
    .api(redemptionCodes)
    .create({ body: { name: 'planted', quota: toPoints(5), count: 3, prefix: 'planted' } });
  for (const code of codes) {
    remember(code);
    remember(code.replaceAll('-', '').toUpperCase());
  }
  const api = user.api(redemptionCodes);
  await api.redeem({ body: { key: codes[0] ?? '' }, idempotencyKey: 'once' });
  for (const key of [codes[0] ?? '', `${codes[1]}X`]) await api.redeem({ body: { key } }).catch(() => undefined);
}

async function plantInDestinations(): Promise<void> {
  const form = { name: 'planted', events: [], enabled: true };
  const bytes = randomBytes(32).toString('base64');
  planted.push(bytes);
  const address = () => `https://planted.example/${canary('hook')}`;
  const api = user.api(notifications);
  const { id } = await api.createOwn({
    body: { ...form, type: 'webhook', config: { address: address(), secret: `whsec_${bytes}` } },
  });
  const config = { address: address(), topic: canary('topic'), token: canary('token') };
  await api.createOwn({ body: { ...form, type: 'ntfy', config } });
  await api.testOwn({ params: { id } });
}

async function plantInRules(): Promise<void> {
  const api = admin.api(contentSafety);
  const form = { name: 'planted', kind: 'webhook', action: 'flag', url: 'http://127.0.0.1:9/', enabled: false };
  const body = (): SafetyRuleForm => safetyRuleForm.parse({ ...form, secret: canary('rule') });
  const { id } = await api.create({ body: body() });
  await api.update({ params: { id }, body: body() });
}

async function plantKeys(): Promise<void> {
  planted.push(scene.key);
  for (let i = 0; i < 5; i += 1) {
    const { id, key } = await user.api(apiKeys).create({ body: { name: `planted ${i}` } });
    remember(key);
    remember((await user.api(apiKeys).rotate({ params: { id } })).key);
    await user.api(apiKeys).reveal({ params: { id } });
  }
  const body = { name: 'planted', scopes: ['user' as const], expires_time: 0 };
  remember((await user.api(accessTokens).create({ body })).token);
  remember(await user.api(accessTokens).replace());
  // Refused and accepted calls alike.
  await scene.chat('scripted', {}, canary('bearer'));
  await (await scene.chat('scripted')).text();
  await scene.waitUntilSettled();
}

/** Uses a separate installation, because this happens once. @returns the content of its database */
async function plantInSetUp(): Promise<Buffer[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-at-rest-'));
  const fresh = await startTestApp({ dataDir: folder });
  const code = remember(fresh.setUpCode ?? '');
  const api = fresh.anonymous.api(setUp);
  await api.check({ body: { code } });
  await api.createRoot({ body: { code, username: 'planted', password: canary('password') } });
  const files = await storedBy(fresh.ctx.db, folder);
  await fresh.close();
  rmSync(folder, { recursive: true });
  return files;
}

function filesOf(folder: string): Buffer[] {
  const names = readdirSync(folder).filter((name) => /\.db(-wal)?$/.test(name));
  return names.map((name) => readFileSync(join(folder, name)));
}

/** Routes that are called above. */
const exercised = [
  'contentSafety.create',
  'contentSafety.update',
  'channelKeys.add',
  'channels.create',
  'channels.update',
  'channels.updateById',
  'channels.fetchModels',
  'users.create',
  'users.update',
  'profile.update',
  'profile.stepUp',
  'secondFactor.finishTotp',
  'secondFactor.signIn',
  'signIn.signIn',
  'signUp.register',
  'signUp.resetPassword',
  'settings.update',
  'settings.updateMany',
  'setUp.check',
  'setUp.createRoot',
  'redemptionCodes.redeem',
];

test('every route that takes a secret is exercised here', () => {
  const secretField = /^(key|secret|password|current_password|proxy|model_headers|token|code)$/;
  const taking = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
    Object.entries(routes)
      .filter(([, { body }]) => body !== undefined && fieldsOf(body).some((field) => secretField.test(field)))
      .map(([name]) => `${feature}.${name}`),
  );
  expect(exercised.toSorted()).toEqual(taking.toSorted());
});

function fieldsOf(schema: z.ZodType): string[] {
  const { properties, items } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const own = Object.keys(properties ?? {});
  const inner = typeof items === 'object' && !Array.isArray(items) ? Object.keys(items.properties ?? {}) : [];
  return [...own, ...inner];
}

/** Returns the files of the database, or a dump of a database server. */
async function storedBy(db: Database, folder: string): Promise<Buffer[]> {
  return db.engine.kind === 'sqlite' ? filesOf(folder) : [await allRows(db)];
}

/** Values as a dump of a database server contains them. */
async function allRows(db: Database): Promise<Buffer> {
  const values = (await Promise.all((await listTables(db)).map((name) => readRows(db, name))))
    .flat()
    .flatMap((row) => Object.values(row));
  return Buffer.concat(
    values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(` ${String(value)}`))),
  );
}

test('neither the database nor its log nor a backup contains a secret, in plain, base64 or hex', async () => {
  await plantInChannels();
  await plantInAccounts();
  await plantSecondFactor();
  await plantInSignUp();
  await plantInSettings();
  await plantInRules();
  await plantCodes();
  await plantInDestinations();
  await plantKeys();
  const setUpFiles = await plantInSetUp();
  expect(new Set(planted).size).toBeGreaterThanOrEqual(40);

  if (ctx.db.engine.kind === 'sqlite') {
    await runSql(ctx.db, `vacuum into '${join(dataDir, 'backup.db')}'`);
    await runSql(ctx.db, 'pragma wal_checkpoint(passive)');
  }
  const files = await storedBy(ctx.db, dataDir);
  // Database, log and backup; the search itself finds unencrypted values.
  expect(files.filter((file) => file.includes('planted'))).toHaveLength(ctx.db.engine.kind === 'sqlite' ? 3 : 1);
  files.push(...setUpFiles);
  const leaked = planted.filter((secret) =>
    listSecretForms(secret).some((form) => files.some((file) => file.includes(form))),
  );
  expect(leaked.map((secret) => secret.slice(0, 12))).toEqual([]);
});

test('the data key is replaced under load without a failed request', async () => {
  await scene.newChannel({});
  await removeRateLimits(admin);
  const sealed = Array.from({ length: 2_000 }, (_, id) => ({
    name: `hidden-${id}`,
    value: ctx.vault.seal('setting', `setting:hidden-${id}`, 'a secret setting'),
  }));
  await ctx.db.writer.insertInto('setting').values(sealed).execute();
  let running = true;
  const statuses: number[] = [];
  const client = async (): Promise<void> => {
    while (running) {
      const response = await scene.chat('scripted');
      await response.text();
      statuses.push(response.status);
    }
  };
  const changing = async (): Promise<void> => {
    const { id } = await user.api(apiKeys).create({ body: { name: 'rotating' } });
    // The tests above have used a part of the 120 changes that a user may make in two minutes.
    for (let times = 0; running && times < 20; times += 1) {
      const { key } = await user.api(apiKeys).rotate({ params: { id } });
      expect(await user.api(apiKeys).reveal({ params: { id } })).toBe(key);
    }
  };
  const load = [client(), client(), client(), client(), changing()];
  for (let i = 0; i < 4 || statuses.length < 50; i += 1)
    expect(await admin.api(secrets).rotate()).toMatchObject({ pending: 0 });
  running = false;
  await Promise.all(load);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(ctx.vault.newestKey).toBeGreaterThanOrEqual(4);
});
