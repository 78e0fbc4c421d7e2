/** The scripts of an operator's whole page run isolated: without cookies, storage, API and access to the console. */
import { settings } from '@switchyard/contract/operations/settings';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { type HostileSite, openWatchedPage, startHostileSite } from './watched-page.ts';

/** Tries everything and reports the outcomes. */
const PAGE = `<!doctype html><title>ours</title><body><script>
  const out = { origin: self.origin };
  const attempt = (name, act) => { try { out[name] = String(act()); } catch (error) { out[name] = 'refused'; } };
  attempt('cookie', () => document.cookie);
  attempt('localStorage', () => localStorage.length);
  attempt('sessionStorage', () => sessionStorage.length);
  attempt('indexedDB', () => indexedDB.open('x'));
  attempt('parent', () => parent.document.title);
  attempt('top', () => { if (top !== self) top.location = 'about:blank#left'; return 'asked'; });
  attempt('frame', () => frameElement);
  const call = (method) => fetch('/api/user/self', { method, credentials: 'include', body: method === 'PUT' ? '{"display_name":"changed"}' : undefined, headers: { 'content-type': 'application/json' } })
    .then((response) => response.text(), () => 'refused');
  const form = document.createElement('form');
  form.method = 'post'; form.action = '/api/user/login'; form.target = 'hidden'; form.enctype = 'text/plain';
  form.innerHTML = '<input name="x" value="y"><iframe name="hidden"></iframe>';
  document.body.append(form);
  Promise.all([call('GET'), call('PUT')]).then(([read, write]) => {
    form.submit();
    document.body.dataset.out = JSON.stringify({ ...out, read, write });
  });
</script></body>`;

let scene: RelayScene;
let site: HostileSite;

beforeAll(async () => {
  [scene, site] = await Promise.all([startRelayScene(), startHostileSite()]);
  await scene.admin.api(settings).updateMany({
    body: [
      { key: 'HomePageContent', value: PAGE },
      { key: 'About', value: '<h1>About</h1><script>document.body.dataset.out = self.origin</script>' },
    ],
  });
});
afterAll(async () => {
  await Promise.all([scene.close(), site.close()]);
});

async function outcome(
  page: Page,
  selectFrame: () => Page | ReturnType<Page['frames']>[number] | undefined,
): Promise<Record<string, string>> {
  await expect.poll(() => selectFrame()?.evaluate(() => document.body?.dataset['out'])).toBeTruthy();
  expect(page.url().startsWith(scene.url)).toBe(true);
  return JSON.parse((await selectFrame()?.evaluate(() => document.body.dataset['out'])) ?? '{}') as Record<
    string,
    string
  >;
}

const nobody = {
  origin: 'null',
  cookie: 'refused',
  localStorage: 'refused',
  sessionStorage: 'refused',
  indexedDB: 'refused',
  read: 'refused',
  write: 'refused',
};

test('a page in the console’s frame has no access while a user is signed in', async () => {
  const { page, context, incidents } = await openWatchedPage(site.browser, scene.url, {
    cookie: scene.admin.identity['cookie'],
  });
  await page.goto(scene.url);
  const inside = await outcome(page, () => page.frames().find((frame) => frame.url().endsWith('/custom/home')));
  expect(inside).toMatchObject({ ...nobody, parent: 'refused', frame: 'null' });
  expect(page.url()).toBe(`${scene.url}/`);
  await page.goto(`${scene.url}/about`);
  await expect
    .poll(() =>
      page
        .frames()
        .find((frame) => frame.url().endsWith('/custom/about'))
        ?.evaluate(() => document.body?.dataset['out']),
    )
    .toBe('null');
  await context.close();
  expect(incidents).toEqual([]);
  expect(await scene.admin.fetch('/api/user/self').then((response) => response.text())).not.toContain('changed');
});

test('a page that is opened directly has no access', async () => {
  const { page, context } = await openWatchedPage(site.browser, scene.url, { cookie: scene.admin.identity['cookie'] });
  await page.goto(`${scene.url}/custom/home`);
  expect(await outcome(page, () => page.mainFrame())).toMatchObject(nobody);
  await context.close();
});

test('an installation without a whole page has none', async () => {
  await scene.admin.api(settings).update({ body: { key: 'About', value: '# About\n\n`<script>`' } });
  const response = await scene.anonymous.fetch('/custom/about');
  expect(response.status).toBe(404);
  expect(response.headers.get('content-security-policy')).toMatch(/^sandbox allow-scripts allow-popups allow-forms;/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});
