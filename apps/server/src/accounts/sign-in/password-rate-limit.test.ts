import { users } from '@switchyard/contract/accounts/users';
import { expect, test } from 'vitest';
import { useSignUpScene } from '../../testing/sign-up-scene.ts';

const { app, openBrowser: browser, signIn } = await useSignUpScene();
const root = await app.createUser('root');

/** Returns the statuses of wrong passwords for a name, each from another browser. */
async function guess(username: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1)
    statuses.push((await signIn(browser(), username, 'wrong password')).status);
  return statuses;
}
const tenTries = Array.from({ length: 10 }, () => 400);

test('strangers share ten tries for an account in ten minutes; other accounts are open', async () => {
  const [ann, bob] = [await app.createUser('user'), await app.createUser('user')];
  expect(await guess(ann.username, 11)).toEqual([...tenTries, 429]);
  expect((await signIn(browser(), ann.username, ann.password)).status).toBe(429);
  expect((await signIn(browser(), bob.username, bob.password)).status).toBe(200);
  app.clock.advance(601);
  expect((await signIn(browser(), ann.username, ann.password)).status).toBe(200);
});

test('locks an unknown username like an existing one', async () => {
  expect(await guess('nobody-has-this', 11)).toEqual([...tenTries, 429]);
});

test('a browser from which its owner has signed in before has ten tries of its own', async () => {
  const cat = await app.createUser('user');
  expect((await signIn(cat, cat.username, cat.password)).status).toBe(200);
  await guess(cat.username, 11);
  for (let count = 0; count < 9; count += 1) expect((await signIn(cat, cat.username, 'mistyped')).status).toBe(400);
  expect((await signIn(cat, cat.username, cat.password)).status).toBe(200);
  for (let count = 0; count < 10; count += 1) await signIn(cat, cat.username, 'mistyped');
  expect((await signIn(cat, cat.username, cat.password)).status).toBe(429);
});

test('a browser is known to the accounts that it was used for, and to no others', async () => {
  const [dan, eve] = [await app.createUser('user'), await app.createUser('user')];
  expect((await signIn(eve, eve.username, eve.password)).status).toBe(200);
  await guess(dan.username, 11);
  expect((await signIn(eve, dan.username, dan.password)).status).toBe(429);
});

test('counts ten attempts for username and email address together, without revealing that they belong to one account', async () => {
  const fox = await app.createUser('user');
  expect((await signIn(fox, fox.username, fox.password)).status).toBe(200);
  await root.api(users).update({ body: { id: fox.id, email: 'fox@example.org' } });
  expect(await guess(fox.username, 10)).toEqual(tenTries);
  const byMail = await signIn(browser(), 'fox@example.org', fox.password);
  expect(byMail.status).toBe(400);
  expect(await byMail.json()).toMatchObject({ code: 'wrong-credentials' });
  expect((await signIn(fox, 'fox@example.org', fox.password)).status).toBe(200);
});

test('right passwords are no guesses, and wrong ones are not forgotten for them', async () => {
  const gnu = await app.createUser('user');
  for (let count = 0; count < 12; count += 1)
    expect((await signIn(browser(), gnu.username, gnu.password)).status).toBe(200);
  await guess(gnu.username, 9);
  expect((await signIn(browser(), gnu.username, gnu.password)).status).toBe(200);
  expect(await guess(gnu.username, 2)).toEqual([400, 429]);
});
