import { settings } from '@switchyard/contract/settings';
import { status } from '@switchyard/contract/status';
import { expect, test } from 'vitest';
import { useTestApp } from '../../testing/use-test-app.ts';

const app = await useTestApp();

test('tells anyone what the site is called and whether it is set up', async () => {
  const before = await app.anyone.api(status).get();
  expect(before).toMatchObject({ system_name: 'Switchyard', set_up_needed: true, chat_links: '[]' });
  expect(before.version).toMatch(/^\d+\.\d+\.\d+$/);
  await app.createUser('root');
  expect((await app.anyone.api(status).get()).set_up_needed).toBe(false);
});

test('serves the texts of about and home page as they were written', async () => {
  const root = await app.createUser('admin').then(() => app.anyone);
  expect(await root.api(status).about()).toBe('');
  await app.ctx.db.writer.insertInto('setting').values({ name: 'homePage', value: '# Hello' }).execute();
  await app.ctx.changes.publish({ topic: 'settings' });
  expect(await app.anyone.api(status).homePage()).toBe('# Hello');
  await expect(app.anyone.api(settings).list()).rejects.toMatchObject({ code: 'not-signed-in' });
});
