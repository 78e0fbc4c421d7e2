import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { users } from '@switchyard/contract/accounts/users';
import { channels } from '@switchyard/contract/channels/channels';
import { audit } from '@switchyard/contract/operations/audit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { apiKeyRoutes } from '../../accounts/api-keys/routes.ts';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import { signInRoutes } from '../../accounts/sign-in/routes.ts';
import { userGroupRoutes } from '../../accounts/user-groups/routes.ts';
import { userRoutes } from '../../accounts/users/routes.ts';
import { channelRoutes } from '../../channels/registry/routes.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { type FeatureApp, serveRoutes, startFeatureApp, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createVisitor, signIn as signInByPassword } from '../../testing/visitor.ts';
import { appendEntry, verifyAuditChain } from './audit.ts';
import { auditRoutes } from './routes.ts';

const parts = [
  serveRoutes(apiKeys, apiKeyRoutes),
  serveRoutes(audit, auditRoutes),
  serveRoutes(channels, channelRoutes),
  serveRoutes(profile, profileRoutes),
  serveRoutes(signIn, signInRoutes),
  serveRoutes(userGroups, userGroupRoutes),
  serveRoutes(users, userRoutes),
];

const app = await useFeatureApp(parts, { config: { trustedProxies: ['127.0.0.1'] } });
const root = await app.createUser('root');
const api = root.api(audit);

/** Writes to the database directly, without the server. */
async function tamper({ ctx: { db } }: FeatureApp, statements: string): Promise<void> {
  if (db.engine.kind === 'postgres') {
    const set = (how: string) => `alter table audit_entry ${how} trigger user;`;
    await db.engine.pool.query(`${set('disable')} ${statements}; ${set('enable')}`);
    return;
  }
  const { connection } = db.engine;
  const triggers = connection
    .prepare("select name, sql from sqlite_master where type = 'trigger' and tbl_name = 'audit_entry'")
    .all();
  expect(triggers).toHaveLength(2);
  for (const { name } of triggers) connection.exec(`drop trigger ${String(name)}`);
  connection.exec(statements);
  for (const { sql } of triggers) connection.exec(String(sql));
}

/** A separate log with six entries or more. */
async function withLog(
  check: (scene: {
    own: FeatureApp;
    write: () => Promise<unknown>;
    state: () => Promise<unknown>;
    last: number;
  }) => Promise<void>,
) {
  const own = await startFeatureApp(parts);
  try {
    const someone = await own.createUser('root');
    let groups = 0;
    const write = () => someone.api(userGroups).create({ body: { symbol: `g${(groups += 1)}`, name: 'Group' } });
    while (groups < 5) await write();
    const state = () => someone.api(audit).verify();
    const { entries } = await someone.api(audit).verify();
    expect(await state()).toMatchObject({ intact: true, broken_id: null });
    await check({ own, write, state, last: entries });
  } finally {
    await own.close();
  }
}

const damages: readonly [name: string, statement: (last: number) => string, broken: (last: number) => number][] = [
  ['a changed entry', () => "update audit_entry set address = '198.51.100.9' where id = 3", () => 3],
  ['an entry that was taken out', () => 'delete from audit_entry where id = 3', () => 3],
  ['a first entry that was taken out', () => 'delete from audit_entry where id = 1', () => 1],
  ['an end that was cut off', (last) => `delete from audit_entry where id >= ${last - 1}`, (last) => last - 1],
  [
    'an end that was cut off with the row that names it',
    (last) => `delete from audit_entry where id = ${last}; delete from audit_head`,
    (last) => last,
  ],
  ['hashes that were wiped', () => "update audit_entry set hash = ''", () => 1],
  [
    'an entry that was added',
    (last) =>
      `insert into audit_entry select ${last + 1}, created_at, user_id, action, target, detail, address, request_id, hash
       from audit_entry where id = ${last}`,
    (last) => last + 1,
  ],
];
for (const [name, statement, broken] of damages)
  test(`${name} is found`, () =>
    withLog(async ({ own, state, last }) => {
      await tamper(own, statement(last));
      expect(await state()).toMatchObject({ intact: false, broken_id: broken(last) });
    }));

test('removed last entries stay missing when new entries follow', () =>
  withLog(async ({ own, write, state, last }) => {
    await tamper(own, `delete from audit_entry where id = ${last}`);
    await write();
    expect(await state()).toMatchObject({ intact: false, broken_id: last });
  }));

test('entries that are written at the same time form one chain', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => root.api(userGroups).create({ body: { symbol: `many${i}`, name: 'Group' } })),
  );
  expect(await api.verify()).toMatchObject({ intact: true });
});

/** Lets so many entries fail, at the row that names the last one. */
const failEntries = (count: number) => {
  const seal = vi.spyOn(app.ctx.vault, 'seal');
  onTestFinished(() => seal.mockRestore());
  for (let nth = 0; nth < count; nth += 1)
    seal.mockImplementationOnce(() => {
      throw new Error('database or disk is full');
    });
};

test('a change counts although its entry cannot be written, which is retried', async () => {
  failEntries(2);
  const created = await root.api(userGroups).create({ body: { symbol: 'retried', name: 'Group' } });
  const find = async () =>
    (await api.list({ query: { action: 'user-group.create' } })).data.filter(
      ({ target }) => target === `user_group:${created.id}`,
    );
  expect(await find()).toEqual([]);
  await expect
    .poll(() => {
      app.clock.advance(10);
      return find();
    })
    .toHaveLength(1);
  expect(await api.verify()).toMatchObject({ intact: true });
});

test('a key is not revealed while the entry of it cannot be written', async () => {
  const { id, key } = await root.api(apiKeys).create({ body: { name: 'revealed' } });
  failEntries(1);
  const reveal = () => root.api(apiKeys).reveal({ params: { id } });
  await expect(reveal()).rejects.toMatchObject({ code: 'internal' });
  expect(await reveal()).toBe(key);
});

test('an update records the old and the new values, with secrets masked', async () => {
  const [channel] = await root
    .api(channels)
    .create({
      body: {
        name: 'c',
        type: 8,
        base_url: 'http://127.0.0.1:9',
        models: ['m'],
        key: 'sk-first-0123456789',
        model_headers: { 'x-h': 'header-secret-1' },
      },
    });
  const id = channel?.id;
  if (id === undefined) throw new Error('no channel');
  await root
    .api(channels)
    .update({ body: { id, weight: 7, key: 'sk-second-0123456789', model_headers: { 'x-h': 'header-secret-2' } } });
  const [entry] = (await api.list({ query: { action: 'channel.update' } })).data;
  expect(entry).toMatchObject({
    user_id: root.id,
    username: root.username,
    target: `channel:${id}`,
    detail: { new_key: true, changes: { weight: { after: 7 } } },
  });
  expect(JSON.stringify(entry)).not.toMatch(/sk-second|header-secret/);
});

test('stores short details, and verifies long ones in short turns', async () => {
  const user = await app.createUser('user');
  const keys = user.api(apiKeys);
  await keys.create({ body: { name: 'x' } });
  const [key] = (await keys.list()).data;
  if (key === undefined) throw new Error('no API key');
  for (const letter of ['型', '模']) {
    const models = Array.from({ length: 18 }, (_, nth) => `${nth}`.padEnd(128, letter));
    const whitelist = Array.from({ length: 200 }, (_, nth) => `2001:db8:aaaa:bbbb:cccc:dddd:eeee:${1000 + nth}`);
    const limits = { limit_model_setting: { enabled: true, models }, limits_ip_setting: { enabled: true, whitelist } };
    await keys.update({
      body: { id: key.id, setting: { ...key.setting, limits: { ...key.setting.limits, ...limits } } },
    });
  }
  const details = await app.ctx.db.reader
    .selectFrom('audit_entry')
    .select('detail')
    .where('target', '=', `api_key:${key.id}`)
    .orderBy('id')
    .execute();
  const sizes = details.map(({ detail }) => Buffer.byteLength(detail));
  expect(sizes).toHaveLength(3);
  expect(Math.max(...sizes)).toBeLessThan(5_000);
  expect(details.at(-1)?.detail).toContain('"and 16 more"');

  const detail = JSON.stringify({ models: 'm'.repeat(20_000) });
  const entry = { created_at: 1, user_id: user.id, action: 'x.y', target: 'x:1', detail, address: '', request_id: '' };
  await app.ctx.db.writer.transaction().execute(async (trx) => {
    for (let count = 0; count < 1_000; count += 1) await appendEntry(trx, app.ctx.vault, entry);
  });
  expect(await verifyAuditChain(app.ctx)).toMatchObject({ brokenId: null });
  expect(await measureLongestBlockRepeatedly(() => verifyAuditChain(app.ctx))).toBeLessThan(50);
});

test('root finds entries by user, action, target and time; other users cannot read them', async () => {
  const admin = await app.createUser('admin', { username: 'filter-admin' });
  const user = await app.createUser('user');
  app.clock.advance(100);
  const start = Math.floor(app.clock.now() / 1000);
  await admin.api(users).update({ body: { id: user.id, display_name: 'Changed' } });
  const found = async (query: NonNullable<Parameters<typeof api.list>[0]>['query']) =>
    (await api.list({ query })).data.map(({ action, target }) => `${action} ${target}`);
  const expected = [`user.update user:${user.id}`];
  expect(await found({ username: 'FILTER-', action: 'user.' })).toEqual(expected);
  expect(await found({ user_id: admin.id, target: `user:${user.id}` })).toEqual(expected);
  expect(await found({ start_timestamp: start })).toEqual(expected);
  expect(await found({ start_timestamp: start, end_timestamp: start - 1 })).toEqual([]);
  await expect(admin.api(audit).list()).rejects.toMatchObject({ code: 'not-allowed' });
  const csv = await (await root.fetch(`/api/audit/export?target=user:${user.id}`)).text();
  expect(csv.split('\r\n')[1]).toMatch(/,filter-admin,user\.update,user:\d+,"\{""changes""/);
});

function attempt(username: string, address = '127.0.0.1'): Promise<Response> {
  return app.anonymous.fetch('/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ username, password: 'not the password' }),
  });
}

test('a refused sign-in is recorded once a minute, with the typed name only if it is an account’s', async () => {
  const user = await app.createUser('user');
  const refused = async () => (await api.list({ query: { action: 'session.refused' } })).data;
  for (const name of [user.username, user.username, 'my secret password', 'another secret'])
    expect((await attempt(name)).status).toBe(400);
  expect(await refused()).toMatchObject([
    { user_id: null, username: '', target: 'user:unknown', detail: {}, address: '127.0.0.1' },
    { target: `user:${user.id}`, detail: { name: user.username } },
  ]);
  app.clock.advance(61);
  await attempt(user.username);
  expect(await refused()).toHaveLength(3);
});

test('refused sign-ins from many addresses leave 30 entries a minute for unknown names, and all for accounts', async () => {
  app.clock.advance(61);
  const user = await app.createUser('user');
  const count = async (target: string) =>
    (await api.list({ query: { action: 'session.refused', target, size: 100 } })).data.length;
  const before = await count('user:unknown');
  for (let nth = 0; nth < 40; nth += 1) await attempt(`nobody-${nth}`, `203.0.113.${nth}`);
  for (let nth = 0; nth < 5; nth += 1) await attempt(user.username, `203.0.113.${nth}`);
  expect(await count('user:unknown')).toBe(before + 30);
  expect(await count(`user:${user.id}`)).toBe(5);
});

test('sign-ins, sign-outs, ended sessions and new names have separate entries', async () => {
  const signedIn = async () => {
    const { id, username, password } = await app.createUser('user');
    return { id, ...createVisitor(app.url, await signInByPassword(app.url, username, password)) };
  };
  const user = await signedIn();
  await user.api(profile).update({ body: { username: 'has-a-new-name' } });
  const [session] = await user.api(profile).listSessions();
  await user.api(profile).endSession({ params: { id: session?.id ?? '' } });
  const again = await signedIn();
  await again.api(signIn).signOut();
  const actions = async (id: typeof user.id) =>
    (await api.list({ query: { user_id: id, order: 'id' } })).data.map(({ action }) => action);
  expect(await actions(user.id)).toEqual(['session.start', 'profile.update', 'profile.end-session']);
  expect(await actions(again.id)).toEqual(['session.start', 'session.end']);
});
