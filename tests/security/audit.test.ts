/** Every change that an administrator makes is written down: who, what, from where. */
import { expect, test } from 'vitest';
import { routesByName, useAdminCalls } from './admin-calls.ts';

const { app, root, calls, prepare, send } = await useAdminCalls();

/** Routes that are no GET and change nothing or only what is their caller's own, or whose vendors cannot be scripted here. */
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

/** Routes of administrators that are no GET. */
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
    const entries = () => app.ctx.db.writer.selectFrom('audit_entry').selectAll().orderBy('id', 'desc').execute();
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

test('an entry can be neither changed nor deleted', async () => {
  const change = app.ctx.db.writer.updateTable('audit_entry').set({ action: 'nothing' }).execute();
  await expect(change).rejects.toThrow('append-only');
  await expect(app.ctx.db.writer.deleteFrom('audit_entry').execute()).rejects.toThrow('append-only');
});
