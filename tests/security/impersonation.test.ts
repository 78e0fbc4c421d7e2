/** Root impersonates a user to see their console: such a session only reads, and ends with root's. */

import { impersonation } from '@switchyard/contract/accounts/impersonation';
import { profile } from '@switchyard/contract/accounts/profile';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { users } from '@switchyard/contract/accounts/users';
import { features } from '@switchyard/contract/all-feature-routes';
import { playgroundPaths } from '@switchyard/contract/playground/playground';
import type { Route, Routes } from '@switchyard/contract/route';
import { beforeEach, expect, test } from 'vitest';
import { type SignedInUser, useTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createBrowserVisitor, createVisitor, type Visitor } from '../../apps/server/src/testing/visitor.ts';

const app = await useTestApp({ now: Date.UTC(2026, 0, 10) });
const root = await app.createUser('root');
const admin = await app.createUser('admin');

type Browser = ReturnType<typeof createBrowserVisitor>;
let user: SignedInUser;
/** Root's browser. */
let desk: Browser;

const routes = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes).map(([name, route]) => ({ name: `${feature}.${name}`, route })),
);
const looks = ({ method, sameOrigin, stepUp }: Route): boolean =>
  method === 'GET' && sameOrigin !== true && stepUp !== true;

async function signedIn(who: SignedInUser): Promise<Browser> {
  const one = createBrowserVisitor(app.url);
  await one.api(signIn).signIn({ body: { username: who.username, password: who.password } });
  return one;
}

const actAs = (by: Visitor, who: SignedInUser) =>
  by.api(impersonation).start({ body: { user_id: who.id, reason: 'Ticket 17' } });
const nameIn = async (who: Visitor) => (await who.api(profile).get()).username;
const sessionsOf = (who: SignedInUser) =>
  app.ctx.db.writer.selectFrom('session').selectAll().where('user_id', '=', who.id).execute();

async function codeOf(who: Visitor, { method, path }: Route): Promise<string> {
  const response = await who.fetch(path.replace(/:\w+/g, '999999'), {
    method,
    ...(method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  return text.startsWith('{') ? ((JSON.parse(text) as { code?: string }).code ?? '') : '';
}

beforeEach(async () => {
  user = await app.createUser('user', { quota: 1_000 });
  desk = await signedIn(root);
});

test('root sees the user’s console, the user and the end of the session, and returns to the own session', async () => {
  const own = desk.cookies.get('switchyard_session');
  const { until } = await actAs(desk, user);
  expect(await desk.api(profile).get()).toMatchObject({
    username: user.username,
    quota: 1_000,
    rights: ['user'],
    impersonation: { by: root.username, seconds_left: 1_800 },
  });
  expect(until).toBe(Math.floor(app.clock.now() / 1000) + 1_800);
  await desk.api(impersonation).end();
  expect(desk.cookies.get('switchyard_session')).toBe(own);
  expect(await desk.api(profile).get()).toMatchObject({ username: root.username, impersonation: null });
  expect(await sessionsOf(user)).toHaveLength(1);
});

test('only three changing routes are allowed, and none that requires a confirmed identity', async () => {
  await actAs(desk, user);
  const changing = routes.filter(({ route }) => !looks(route));
  expect(changing.length).toBeGreaterThan(90);
  const open: string[] = [];
  for (const { name, route } of changing) {
    if (route.impersonated === true) open.push(name);
    else expect(await codeOf(desk, route), name).toBe('impersonated');
  }
  expect(open.toSorted()).toEqual(['impersonation.end', 'quote.ask', 'signIn.signOut']);
  expect(routes.filter(({ route }) => route.impersonated === true && route.stepUp === true)).toEqual([]);
  expect(await nameIn(desk)).toBe(user.username);
});

test('the user’s private data is hidden', async () => {
  await actAs(desk, user);
  const hidden = routes.filter(({ route }) => route.impersonated === false);
  for (const { name, route } of hidden) expect(await codeOf(desk, route), name).toBe('impersonated');
  expect(hidden.map(({ name }) => name).toSorted()).toEqual([
    'playground.listConversations',
    'playground.readConversation',
    'profile.export',
  ]);
});

test('root’s own routes are refused, and a staff member is impersonated with their rights only', async () => {
  await actAs(desk, admin);
  const closed = routes.filter(({ route }) => route.access === 'root' && looks(route));
  expect(closed.length).toBeGreaterThan(3);
  for (const { name, route } of closed) expect(await codeOf(desk, route), name).toBe('not-allowed');
  expect((await desk.api(users).list()).total_count).toBeGreaterThan(2);
});

test('an impersonated session neither spends a balance nor begins another impersonation', async () => {
  await actAs(desk, user);
  for (const path of Object.values(playgroundPaths)) {
    const call = await desk.fetch(path, {
      method: 'POST',
      body: JSON.stringify({ model: 'any', messages: [], prompt: 'a', input: 'a', voice: 'alloy' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(call.status, path).toBe(403);
  }
  await expect(actAs(desk, admin)).rejects.toMatchObject({ code: 'impersonated' });
});

test('only root starts an impersonation, after a step-up, with a reason, and never of root or a disabled user', async () => {
  await expect(actAs(admin, user)).rejects.toMatchObject({ code: 'not-allowed' });
  await expect(actAs(desk, root)).rejects.toMatchObject({ code: 'not-allowed' });
  const without = await desk.fetch('/api/impersonation', {
    method: 'POST',
    body: JSON.stringify({ user_id: user.id, reason: '  ' }),
    headers: { 'content-type': 'application/json' },
  });
  expect(await without.json()).toMatchObject({ code: 'invalid-input', fields: [{ path: 'reason' }] });
  app.clock.advance(601);
  await expect(actAs(desk, user)).rejects.toMatchObject({ code: 'step-up-required' });
  await desk.api(profile).stepUp({ body: { password: root.password } });
  await desk.api(users).update({ body: { id: user.id, status: 'disabled' } });
  await expect(actAs(desk, user)).rejects.toMatchObject({ code: 'conflict' });
});

test('an impersonation ends after half an hour despite its use, and later requests do not apply to root', async () => {
  await actAs(desk, user);
  app.clock.advance(1_799);
  expect(await nameIn(desk)).toBe(user.username);
  app.clock.advance(1);
  await expect(nameIn(desk)).rejects.toMatchObject({ code: 'impersonation-over' });
  const rename = desk.api(profile).update({ body: { display_name: 'For the user' } });
  await expect(rename).rejects.toMatchObject({ code: 'impersonation-over' });
  await desk.api(impersonation).end();
  expect(await desk.api(profile).get()).toMatchObject({ username: root.username, display_name: '' });
});

test('its cookie is useless alone, beside another session of root’s, or in place of one', async () => {
  const before = await signedIn(root);
  await actAs(desk, user);
  const as = desk.cookies.get('switchyard_as') ?? '';
  const nobody = (cookie: string) =>
    expect(nameIn(createVisitor(app.url, { cookie }))).rejects.toMatchObject({
      code: expect.stringMatching(/^(not-signed-in|impersonation-over)$/),
    });
  await nobody(`switchyard_as=${as}`);
  await nobody(`switchyard_session=${as}`);
  const elsewhere = `switchyard_session=${before.cookies.get('switchyard_session')}; switchyard_as=${as}`;
  expect(await nameIn(createVisitor(app.url, { cookie: elsewhere }))).toBe(root.username);
  const byUser = `${user.identity['cookie']}; switchyard_as=${as}`;
  expect(await nameIn(createVisitor(app.url, { cookie: byUser }))).toBe(user.username);
});

const ends: readonly [how: string, end: () => Promise<unknown>][] = [
  ['root signs out', () => desk.api(signIn).signOut()],
  ['root ends all own sessions elsewhere', async () => (await signedIn(root)).api(profile).endSessions()],
  [
    'the user ends it',
    async () => {
      const mine = await user.api(profile).listSessions();
      const its = mine.find(({ method }) => method === 'impersonation');
      await user.api(profile).endSession({ params: { id: its?.id ?? '' } });
    },
  ],
  ['the user is disabled', () => admin.api(users).update({ body: { id: user.id, status: 'disabled' } })],
  ['the user is deleted', () => admin.api(users).remove({ params: { id: user.id } })],
];

test.each(ends)('it ends when %s', async (_how, end) => {
  await actAs(desk, user);
  const identity = { ...desk.identity };
  await end();
  await expect(nameIn(createVisitor(app.url, identity))).rejects.toMatchObject({
    code: expect.stringMatching(/^(not-signed-in|impersonation-over)$/),
  });
  expect((await sessionsOf(user)).filter(({ parent_hash }) => parent_hash !== null)).toEqual([]);
});

test('it ends with root’s role', async () => {
  await actAs(desk, user);
  const role = (to: 'root' | 'admin') =>
    app.ctx.db.writer.updateTable('user').set({ role: to }).where('id', '=', root.id).execute();
  await role('admin');
  await expect(nameIn(desk)).rejects.toMatchObject({ code: 'impersonation-over' });
  await role('root');
});

test('the audit log names both and the reason, and the user sees the session', async () => {
  await actAs(desk, user);
  const sessions = await user.api(profile).listSessions();
  expect(sessions.map(({ method }) => method).toSorted()).toEqual(['impersonation', 'password']);
  await desk.api(impersonation).end();
  const entries = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select(['user_id', 'action', 'target', 'detail'])
    .where('target', '=', `user:${user.id}`)
    .where('action', 'like', 'impersonation.%')
    .orderBy('id')
    .execute();
  expect(entries).toMatchObject([
    { user_id: root.id, action: 'impersonation.start' },
    { user_id: user.id, action: 'impersonation.end' },
  ]);
  expect(JSON.parse(entries[0]?.detail ?? '')).toMatchObject({ reason: 'Ticket 17' });
  expect(JSON.parse(entries[1]?.detail ?? '')).toEqual({ impersonator: { id: root.id, username: root.username } });
});
