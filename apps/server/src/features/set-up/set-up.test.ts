import { setUp } from '@switchyard/contract/set-up';
import { status } from '@switchyard/contract/status';
import { expect, test } from 'vitest';
import { useTestApp } from '../../testing/use-test-app.ts';

const app = await useTestApp();
const account = { username: 'first', password: 'correct horse' };

test('refuses a wrong code and says that set-up is needed', async () => {
  const site = await app.anyone.api(status).get();
  expect(site.set_up_needed).toBe(true);
  const wrong = app.anyone.api(setUp).createRoot({ body: { ...account, code: 'x'.repeat(43) } });
  await expect(wrong).rejects.toMatchObject({ code: 'wrong-credentials' });
});

test('the code makes root once, signs it in and gives it a balance', async () => {
  const code = app.setUpCode ?? '';
  expect(Buffer.from(code, 'base64url')).toHaveLength(32);
  expect(await app.anyone.api(setUp).check({ body: { code } })).toBeNull();
  const response = await app.anyone.fetch('/api/setup', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...account, code }),
  });
  expect(response.headers.get('set-cookie')).toContain('HttpOnly');
  const { data } = (await response.json()) as { data: { role: number; quota: number } };
  expect(data).toMatchObject({ role: 100, quota: 100_000_000 });
  const again = app.anyone
    .api(setUp)
    .createRoot({ body: { username: 'second', password: 'correct horse', code } });
  await expect(again).rejects.toMatchObject({ code: 'set-up-done' });
  const site = await app.anyone.api(status).get();
  expect(site.set_up_needed).toBe(false);
});
