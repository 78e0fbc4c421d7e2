import { settings } from '@switchyard/contract/settings';
import { status } from '@switchyard/contract/status';
import { expect, test } from 'vitest';
import { useTestApp } from '../../testing/use-test-app.ts';

const app = await useTestApp();
const root = await app.createUser('root');
const api = root.api(settings);

test('lists every setting as text, with its default', async () => {
  const options = new Map((await api.list()).map(({ key, value }) => [key, value]));
  expect(options.get('SystemName')).toBe('Switchyard');
  expect(options.get('QuotaPerUnit')).toBe('500000');
  expect(options.get('LogConsumeEnabled')).toBe('true');
});

test('a change counts at once, for everybody', async () => {
  await api.update({ body: { key: 'SystemName', value: 'Depot' } });
  await api.update({ body: { key: 'Notice', value: 'Closed on *Sunday*' } });
  expect((await app.anyone.api(status).get()).system_name).toBe('Depot');
  expect(await app.anyone.api(status).notice()).toBe('Closed on *Sunday*');
});

test('changes several settings, all or none, and names the one that does not fit', async () => {
  const changes = api.updateMany({
    body: [
      { key: 'SystemName', value: 'Never' },
      { key: 'RetryTimes', value: '99' },
    ],
  });
  await expect(changes).rejects.toMatchObject({ code: 'invalid-input', fields: [{ path: 'RetryTimes' }] });
  expect(app.ctx.settings.systemName).toBe('Depot');
  const unknown = api.update({ body: { key: 'NoSuchThing', value: '1' } });
  await expect(unknown).rejects.toMatchObject({ fields: [{ path: 'NoSuchThing', rule: 'unknown' }] });
});

test('a stored value that no longer fits gives way to the default', async () => {
  await app.ctx.db.writer.insertInto('setting').values({ name: 'retryTimes', value: 'many' }).execute();
  await app.ctx.changes.publish({ topic: 'settings' });
  expect(app.ctx.settings.retryTimes).toBe(2);
});

test('administrators below root neither read nor write settings', async () => {
  const admin = await app.createUser('admin');
  await expect(admin.api(settings).list()).rejects.toMatchObject({ code: 'not-allowed' });
});

test.each([
  ['ChatLink', 'javascript:alert(1)'],
  ['ChatLink', 'java\tscript:alert(1)'],
  ['ChatLinks', '[{"name":"x","url":" data:text/html,x","show":true,"sort":1}]'],
])('a chat link that would run as a script is refused: %s %s', async (key, value) => {
  await expect(api.update({ body: { key, value } })).rejects.toMatchObject({ fields: [{ path: key }] });
});

test('a chat link may have a scheme of its own', async () => {
  const value = 'cherrystudio://providers/api-keys?v=1&data={cherryConfig}';
  await api.update({ body: { key: 'ChatLink', value } });
  expect(app.ctx.settings.chatLink).toBe(value);
});
