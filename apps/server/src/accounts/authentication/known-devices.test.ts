import { signUp } from '@switchyard/contract/accounts/sign-up';
import { expect, test } from 'vitest';
import { useSignUpScene } from '../../testing/sign-up-scene.ts';
import { rememberDevice } from './known-devices.ts';

const { app, mails, openBrowser: browser, requestCode: askCode, signIn } = await useSignUpScene();
await app.createUser('root');
const PASSWORD = 'a rather good one';

const devicesOf = (userId: number) =>
  app.ctx.db.writer
    .selectFrom('known_device')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('last_seen_time')
    .execute();

test('mails a user with a verified address about a sign-in from another browser only', async () => {
  const own = browser();
  const email = 'ann@example.org';
  const verification_code = await askCode(own, email);
  await own.api(signUp).register({ body: { username: 'ann', password: PASSWORD, email, verification_code } });
  await signIn(own, 'ann', PASSWORD);
  await signIn(own, 'ann', PASSWORD);
  const before = mails.messages.length;
  await browser().fetch('/api/user/login', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
    },
    body: JSON.stringify({ username: 'ann', password: PASSWORD }),
  });
  const mail = await mails.waitForNext();
  expect(mail).toMatchObject({ to: email, subject: 'New sign-in to your account' });
  expect(mail.text).toContain('Device: Firefox · Windows');
  expect(mail.text).toContain('127.0.0.1');
  expect(mails.messages).toHaveLength(before + 1);
});

test('a wrong password makes no browser known', async () => {
  const bob = await app.createUser('user');
  await signIn(browser(), bob.username, 'wrong password');
  expect(await devicesOf(bob.id)).toEqual([]);
});

test('twenty browsers are known, the ones used last', async () => {
  const cat = await app.createUser('user');
  expect(await rememberDevice(app.ctx, cat.id, 'her first')).toBe('first');
  for (let count = 0; count < 25; count += 1) {
    app.clock.advance(1);
    expect(await rememberDevice(app.ctx, cat.id, `device-${count}`)).toBe('another');
  }
  const known = (await devicesOf(cat.id)).map(({ device_hash }) => device_hash);
  expect(known).toHaveLength(20);
  expect(known.at(-1)).toBe('device-24');
  expect(known).not.toContain('device-4');
});

test('records the use of a known browser once a day', async () => {
  const dan = await app.createUser('user');
  const seen = async () => (await devicesOf(dan.id)).at(-1)?.last_seen_time;
  await rememberDevice(app.ctx, dan.id, 'his');
  const first = await seen();
  app.clock.advance(80_000);
  expect(await rememberDevice(app.ctx, dan.id, 'his')).toBe('known');
  expect(await seen()).toBe(first);
  app.clock.advance(8_000);
  expect(await rememberDevice(app.ctx, dan.id, 'his')).toBe('known');
  expect(await seen()).toBeGreaterThan(first ?? 0);
});
