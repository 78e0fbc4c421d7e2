import { createServer } from 'node:http';
import { systemInfo } from '@switchyard/contract/operations/system-info';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { checkVersion, isNewer } from './check-newer-version.ts';
import { systemInfoRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(systemInfo, (ctx) => systemInfoRoutes(ctx, { running: 0 }))]);
const root = await app.createUser('root');
const api = root.api(systemInfo);
const running = new AbortController().signal;

test('reports no version while the update check is off, and accepts only a version number', async () => {
  let answer: unknown = { tag_name: 'v99.1.0', html_url: 'https://elsewhere.example' };
  const versions = createServer((_request, response) => response.end(JSON.stringify(answer)));
  const port = await listen(versions);
  onTestFinished(() => void versions.close());
  await checkVersion(app.ctx, running);
  expect((await api.get()).newest).toBeNull();
  await setOptions(app.ctx, { VersionCheckURL: `http://127.0.0.1:${port}/latest` });
  expect((await api.get()).newest).toBeNull();
  await checkVersion(app.ctx, running);
  expect((await api.get()).newest).toMatchObject({ version: 'v99.1.0', is_newer: true });
  answer = { version: '<img src=x>' };
  await expect(checkVersion(app.ctx, running)).rejects.toThrow('no version');
  expect((await api.get()).newest).toMatchObject({ version: 'v99.1.0' });
  await setOptions(app.ctx, { VersionCheckURL: '' });
  expect((await api.get()).newest).toBeNull();
});

test.each([
  ['v2.0.0', '1.9.9', true],
  ['1.10.0', '1.9.0', true],
  ['1.0.0', '1.0.0', false],
  ['0.9.9', '1.0.0', false],
  ['1.0.0', '1.0.0-beta.2', true],
  ['1.0.0-beta', '1.0.0', false],
  ['1.0.0+build-5', '1.0.0', false],
])('%s is newer than %s: %s', (one, other, expected) => {
  expect(isNewer(one, other)).toBe(expected);
});
