import { settings } from '@switchyard/contract/operations/settings';
import { expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { settingRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(settings, settingRoutes)]);
const root = await app.createUser('root', { username: 'keeper' });
const api = root.api(settings);
const save = (key: string, value: string) => api.update({ body: { key, value } });
const history = async (key?: string) => (await api.history({ query: { key } })).data;

test('lists setting changes with author, old and new value, newest first, and accepts a restored value', async () => {
  await save('SystemName', 'Depot');
  await api.updateMany({
    body: [
      { key: 'SystemName', value: 'Harbour' },
      { key: 'RetryTimes', value: '4' },
    ],
  });
  const [newest, oldest] = await history('SystemName');
  expect(newest).toMatchObject({
    username: 'keeper',
    changes: [{ key: 'SystemName', before: 'Depot', after: 'Harbour', secret: null }],
  });
  expect(oldest).toMatchObject({ changes: [{ before: 'Switchyard', after: 'Depot' }] });
  expect((await history())[0]?.changes.map(({ key }) => key)).toEqual(['SystemName', 'RetryTimes']);
  await save('SystemName', newest?.changes[0]?.before ?? '');
  expect(app.ctx.settings.systemName).toBe('Depot');
  expect(await history('Name')).toEqual([]);
  await save('SystemName', 'Depot');
  expect((await history('SystemName'))[0]?.changes).toEqual([]);
});

test('records only the fact of a changed secret, and no truncated value', async () => {
  await save('SMTPToken', 'secret-of-the-mail-server');
  await save('SMTPToken', '');
  expect((await history('SMTPToken')).flatMap(({ changes }) => changes)).toEqual([
    { key: 'SMTPToken', before: null, after: null, secret: 'cleared' },
    { key: 'SMTPToken', before: null, after: null, secret: 'set' },
  ]);
  await save('About', 'x'.repeat(20_000));
  await save('About', 'y'.repeat(500));
  await save('About', 'short');
  expect((await history('About')).map(({ changes }) => changes[0])).toMatchObject([
    { before: null, after: 'short' },
    { before: null, after: null },
    { before: '', after: null },
  ]);
  expect(JSON.stringify(await history())).not.toContain('secret-of-the-mail-server');
});
