/**
 * Every change by an administrator has an audit entry with actor, target and address, and so has access to an account.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { routesByName, useAdminCalls } from './admin-calls.ts';
import { createUserCalls } from './user-calls.ts';

const scene = await useAdminCalls();
const { app, root, calls, prepare, send } = scene;
const userCalls = await createUserCalls(scene);
afterAll(() => userCalls.close());
const entries = () => app.ctx.db.writer.selectFrom('audit_entry').selectAll().orderBy('id', 'desc').execute();

/**
 * Routes other than GET that change nothing or only the caller's own data, or whose vendors cannot be scripted here.
 */
const withoutCall: Readonly<Record<string, string>> = {
  'analytics.createView': 'a view is its user’s own, like a bookmark',
  'analytics.renameView': 'a view is its user’s own, like a bookmark',
  'analytics.removeView': 'a view is its user’s own, like a bookmark',
  'channels.fetchModels': 'asks a vendor and stores nothing',
  'contentSafety.try': 'looks through a text and stores nothing',
  'serviceTests.run': 'asks a service outside and stores nothing',
  'telegram.test': 'writes to its caller’s own Telegram account and stores nothing',
  'systemInfo.followLog': 'reads, as events, which only a POST gives the console',
  'channelTests.estimate': 'calculates and stores nothing',
  'channelTests.estimateSchedule': 'calculates and stores nothing',
  'channels.updateBalance': 'no provider of the scripted upstream tells a balance',
};

/** Administrators' routes other than GET. */
const writes = [...routesByName]
  .filter(([, { method, access }]) => method !== 'GET' && access !== 'anyone' && access !== 'user')
  .map(([name]) => name);

test('the list of calls is complete', () => {
  const covered = [...calls.map(([route]) => route), ...Object.keys(withoutCall)];
  expect(covered.toSorted()).toEqual(writes.toSorted());
});

for (const call of calls) {
  const [name] = call;
  test(`${name} leaves an entry`, async () => {
    await prepare(name);
    const before = (await entries()).length;
    const response = await send(call);
    expect(response.status, await response.clone().text()).toBe(200);
    const after = await entries();
    expect(after.length).toBe(before + 1);
    expect(after[0]).toMatchObject({ user_id: root.id, address: '127.0.0.1' });
    expect(after[0]?.request_id).toBe(response.headers.get('x-request-id'));
    expect(JSON.stringify(after[0])).not.toMatch(/sk-secret|secret-password/);
  });
}

describe('users', () => {
  /** Users' changes without an entry, because a thief of their session gains nothing by them, or for another reason. */
  const withoutEntry: Readonly<Record<string, string>> = {
    'notices.seen': 'dismisses a notification',
    'orders.create': 'the order keeps its own history, with its buyer, address and time',
    'orders.checkOwn': 'the order keeps its own history',
    'orders.closeOwn': 'the order keeps its own history',
    'passkeys.beginRegistration': 'changes nothing before finishRegistration, which leaves an entry',
    'playground.createConversation': 'a conversation is its user’s own text, and opens nothing',
    'playground.saveConversation': 'a conversation is its user’s own text, and opens nothing',
    'playground.renameConversation': 'a conversation is its user’s own text, and opens nothing',
    'playground.removeConversation': 'a conversation is its user’s own text, and opens nothing',
    'playground.removeConversations': 'a conversation is its user’s own text, and opens nothing',
    'profile.setAvatar': 'a picture opens nothing',
    'profile.stepUp': 'what it unlocks leaves an entry',
    'quote.ask': 'calculates and stores nothing',
    'secondFactor.beginTotp': 'changes nothing before finishTotp, which leaves an entry',
    'signUp.inviteCode': 'an invitation opens nothing of the account',
    'telegram.begin': 'changes nothing before the Telegram account confirms, which leaves an entry',
  };

  test('the list of their calls is complete', () => {
    const changing = [...routesByName]
      .filter(([, { method, access, sameOrigin }]) => access === 'user' && (method !== 'GET' || sameOrigin === true))
      .map(([name]) => name);
    const covered = [...userCalls.calls.map(({ route }) => route), ...Object.keys(withoutEntry)];
    expect(covered.toSorted()).toEqual(changing.toSorted());
  });

  for (const { route, by, run } of userCalls.calls) {
    test(`${route} leaves an entry`, async () => {
      const ofUser = async () => (await entries()).filter(({ user_id }) => user_id === by.id);
      const before = await ofUser();
      await run();
      const after = await ofUser();
      expect(after.length).toBe(before.length + 1);
      expect(after[0]).toMatchObject({ address: '127.0.0.1', request_id: expect.stringMatching(/./) });
      expect(after[0]?.detail).not.toMatch(/sk-|password of/);
    });
  }
});

describe('files of staff', () => {
  const files = [...routesByName].filter(
    ([, { file, access }]) => file !== undefined && access !== 'anyone' && access !== 'user',
  );
  const queries: Readonly<Record<string, string>> = {
    'analytics.export': '?start_timestamp=1767225600&end_timestamp=1767312000',
    'audit.export': '?action=channel.',
    'orders.export': '?username=audited',
    'usageRecords.export': '?username=audited',
    'users.export': '?keyword=audited',
  };

  test('the calls of administrators include the files that other methods return', () => {
    const posted = files.filter(([, { method }]) => method !== 'GET').map(([name]) => name);
    expect(calls.map(([name]) => name)).toEqual(expect.arrayContaining(posted));
    expect(files.length - posted.length).toBeGreaterThan(5);
  });

  const audited = files.flatMap(([name, route]) =>
    route.method === 'GET' && route.auditAs !== undefined && route.auditAs !== 'never'
      ? [{ name, path: route.path, ...route.auditAs }]
      : [],
  );
  test('every file for a GET is audited, except the process log, which must be available when nothing can be written', () => {
    const others = files.filter(([name]) => !audited.some((one) => one.name === name));
    expect(others.flatMap(([name, { method }]) => (method === 'GET' ? [name] : []))).toEqual(['systemInfo.logFile']);
  });

  test.each(audited)('$name leaves an entry', async ({ name, path, action, target }) => {
    const before = (await entries()).length;
    const query = queries[name] ?? '';
    const response = await root.fetch(path + query);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const after = await entries();
    expect(after.length).toBe(before + 1);
    expect(after[0]).toMatchObject({
      user_id: root.id,
      action,
      target,
      address: '127.0.0.1',
      request_id: response.headers.get('x-request-id'),
    });
    for (const value of new URLSearchParams(query).values()) expect(after[0]?.detail).toContain(value);
  });
});

test('an entry can be neither changed nor deleted', async () => {
  const change = app.ctx.db.writer.updateTable('audit_entry').set({ action: 'nothing' }).execute();
  await expect(change).rejects.toThrow('append-only');
  await expect(app.ctx.db.writer.deleteFrom('audit_entry').execute()).rejects.toThrow('append-only');
});
