import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { profile } from '@switchyard/contract/accounts/profile';
import { users } from '@switchyard/contract/accounts/users';
import { expect, test } from 'vitest';
import { addPasskey, createAssertion } from '../../testing/second-factors.ts';
import { type CreationOptions, createSoftwarePasskey, type Tampering } from '../../testing/software-passkey.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createBrowserVisitor } from '../../testing/visitor.ts';
import { profileRoutes } from '../profile/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { passkeyRoutes } from './routes.ts';

const app = await useFeatureApp(
  [serveRoutes(passkeys, passkeyRoutes), serveRoutes(profile, profileRoutes), serveRoutes(users, userRoutes)],
  { config: { publicUrl: 'https://gate.example' } },
);
const root = await app.createUser('root');
const ORIGIN = 'https://gate.example';
const refused = { code: 'wrong-code' };

test('a passkey signs in without a user name, and the session is its owner’s', async () => {
  const user = await app.createUser('user');
  const key = await addPasskey(user, ORIGIN);
  const anyone = createBrowserVisitor(app.url);
  const self = await anyone.api(passkeys).finishSignIn({ body: await createAssertion(anyone, key, ORIGIN) });
  expect(self.id).toBe(user.id);
  expect((await anyone.api(profile).get()).id).toBe(user.id);
  const [listed] = await anyone.api(passkeys).list();
  expect(listed).toMatchObject({ alias: 'test', credential_id: key.id });
  expect(listed?.last_used_time).toBeGreaterThan(0);
});

const tamperings: [string, Tampering][] = [
  ['another site', { origin: 'https://gate.example.evil' }],
  ['another site’s passkey', { rpId: 'evil.example' }],
  ['a question that was never asked', { challenge: 'A'.repeat(43) }],
  ['a broken signature', { breakSignature: true }],
  ['nobody verified', { flags: 0x01 }],
  ['nobody present', { flags: 0x00 }],
  ['another owner', { userHandle: Buffer.from('1').toString('base64url') }],
  ['no owner', { userHandle: '' }],
];

test.each(tamperings)('rejects a sign-in response with %s', async (_what, tampering) => {
  const user = await app.createUser('user');
  const key = await addPasskey(user, ORIGIN);
  const anyone = createBrowserVisitor(app.url);
  const body = await createAssertion(anyone, key, ORIGIN, tampering);
  await expect(anyone.api(passkeys).finishSignIn({ body })).rejects.toMatchObject(refused);
  expect((await anyone.fetch('/api/user/self')).status).toBe(401);
});

test('an answer works once, in its own browser, and not after five minutes', async () => {
  const user = await app.createUser('user');
  const key = await addPasskey(user, ORIGIN);
  const [mine, other] = [createBrowserVisitor(app.url), createBrowserVisitor(app.url)];
  const stolen = await createAssertion(mine, key, ORIGIN);
  await expect(other.api(passkeys).finishSignIn({ body: stolen })).rejects.toMatchObject(refused);
  await mine.api(passkeys).finishSignIn({ body: stolen });
  await expect(mine.api(passkeys).finishSignIn({ body: stolen })).rejects.toMatchObject(refused);
  const late = await createAssertion(mine, key, ORIGIN);
  app.clock.advance(301);
  await expect(mine.api(passkeys).finishSignIn({ body: late })).rejects.toMatchObject(refused);
});

test('a copied passkey is noticed by its counter', async () => {
  const user = await app.createUser('user');
  const key = await addPasskey(user, ORIGIN);
  const anyone = createBrowserVisitor(app.url);
  await anyone.api(passkeys).finishSignIn({ body: await createAssertion(anyone, key, ORIGIN, { counter: 7 }) });
  const copy = await createAssertion(anyone, key, ORIGIN, { counter: 7 });
  await expect(anyone.api(passkeys).finishSignIn({ body: copy })).rejects.toMatchObject(refused);
});

test('a passkey of a disabled user, and one that was removed, open nothing', async () => {
  const user = await app.createUser('user');
  const key = await addPasskey(user, ORIGIN);
  const anyone = createBrowserVisitor(app.url);
  await root.api(users).manage({ body: { username: user.username, action: 'disable' } });
  const attempt = async () => anyone.api(passkeys).finishSignIn({ body: await createAssertion(anyone, key, ORIGIN) });
  await expect(attempt()).rejects.toMatchObject({ code: 'wrong-credentials' });
  await root.api(users).manage({ body: { username: user.username, action: 'enable' } });
  await attempt();
  const [listed] = await anyone.api(passkeys).list();
  if (listed === undefined) throw new Error('the passkey is not listed');
  await anyone.api(passkeys).remove({ params: { id: listed.id } });
  await expect(attempt()).rejects.toMatchObject(refused);
});

test('a passkey is added for who asked, in the session that was confirmed', async () => {
  const [user, other] = await Promise.all([app.createUser('user'), app.createUser('user')]);
  const key = createSoftwarePasskey();
  const { publicKey } = await user.api(passkeys).beginRegistration({ body: {} });
  const created = key.create(publicKey as unknown as CreationOptions, ORIGIN) as never;
  await expect(other.api(passkeys).finishRegistration({ body: created })).rejects.toMatchObject(refused);
  await expect(user.api(passkeys).finishRegistration({ body: created })).resolves.toBeNull();
  app.clock.advance(601);
  const late = user.api(passkeys).beginRegistration({ body: {} });
  await expect(late).rejects.toMatchObject({ code: 'step-up-required' });
});

test('certificates of the authenticator’s vendor, which may name addresses to load from, are not read', async () => {
  const user = await app.createUser('user');
  const { publicKey } = await user.api(passkeys).beginRegistration({ body: {} });
  const key = createSoftwarePasskey();
  const attestedBy = [Buffer.from('anything but a certificate')];
  const created = key.create(publicKey as unknown as CreationOptions, ORIGIN, { attestedBy });
  await user.api(passkeys).finishRegistration({ body: created as never });
  const anyone = createBrowserVisitor(app.url);
  const self = await anyone.api(passkeys).finishSignIn({ body: await createAssertion(anyone, key, ORIGIN) });
  expect(self.id).toBe(user.id);
});

test('the question is the same for every name, known or not', async () => {
  const ask = async (username: string) => {
    const { publicKey } = await createBrowserVisitor(app.url).api(passkeys).beginSignIn({ body: { username } });
    const { challenge, ...rest } = publicKey;
    expect(challenge).toMatch(/^[\w-]{43}$/);
    return rest;
  };
  expect(await ask('nobody')).toEqual(await ask(root.username));
});

test('the passkey that is the last way in stays', async () => {
  const user = await app.createUser('user');
  await addPasskey(user, ORIGIN);
  const [own] = await user.api(passkeys).list();
  if (own === undefined) throw new Error('no passkey was made');
  const remove = () => user.api(passkeys).remove({ params: { id: own.id } });
  await app.ctx.db.writer.updateTable('user').set({ password_hash: '' }).where('id', '=', user.id).execute();
  await expect(remove()).rejects.toMatchObject({ code: 'conflict' });
  expect(await user.api(passkeys).list()).toEqual([own]);
  await app.ctx.db.writer.updateTable('user').set({ password_hash: 'any' }).where('id', '=', user.id).execute();
  await remove();
  expect(await user.api(passkeys).list()).toEqual([]);
});

test('concurrent registrations cannot exceed the limit of twenty passkeys', async () => {
  const user = await app.createUser('user');
  const begin = (i: number) => user.api(passkeys).beginRegistration({ body: { alias: `key ${i}` } });
  const finish = ({ publicKey }: { publicKey: Record<string, unknown> }) => {
    const created = createSoftwarePasskey().create(publicKey as unknown as CreationOptions, ORIGIN);
    return user.api(passkeys).finishRegistration({ body: created as never });
  };
  for (let i = 0; i < 15; i += 1) await finish(await begin(i));
  const begun: Awaited<ReturnType<typeof begin>>[] = [];
  for (let i = 15; i < 21; i += 1) begun.push(await begin(i));
  const ends = await Promise.allSettled(begun.map(finish));
  const refusals = ends.filter((end) => end.status === 'rejected');
  expect(refusals).toEqual([{ status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) }]);
  expect(await user.api(passkeys).list()).toHaveLength(20);
});
