/** Sign-ins and writes of credentials that are still running when the password or the session behind them is revoked. */
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { profile } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { signUp } from '@switchyard/contract/accounts/sign-up';
import { users } from '@switchyard/contract/accounts/users';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findCaller, type SignedInUser } from '../../testing/create-user.ts';
import { addPasskey, addTotp } from '../../testing/second-factors.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { createVisitor } from '../../testing/visitor.ts';
import { accessTokenRoutes } from '../access-tokens/routes.ts';
import { startSession } from '../authentication/authentication.ts';
import { issueCode, issueSecret } from '../one-time-secrets/one-time-secrets.ts';
import { passkeyRoutes } from '../passkeys/routes.ts';
import { bindEmail, updateProfile } from '../profile/profile.ts';
import { profileRoutes } from '../profile/routes.ts';
import { secondFactorRoutes } from '../second-factor/routes.ts';
import { signUpRoutes } from '../sign-up/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { findPendingSignIn, finishSignIn, type SignInCall, signInWithPassword } from './sign-in.ts';

const app = await useFeatureApp([
  serveRoutes(accessTokens, accessTokenRoutes),
  serveRoutes(passkeys, passkeyRoutes),
  serveRoutes(profile, profileRoutes),
  serveRoutes(secondFactor, secondFactorRoutes),
  serveRoutes(signUp, signUpRoutes),
  serveRoutes(users, userRoutes),
]);
const { ctx } = app;
const root = await app.createUser('root');
const NEW_PASSWORD = 'a much better passphrase';

/** Ways in which the owner, or an administrator, replaces a password that was leaked. */
const replacements: readonly [how: string, replace: (owner: SignedInUser) => Promise<unknown>][] = [
  [
    'the owner changes it',
    (owner) => owner.api(profile).update({ body: { password: NEW_PASSWORD, current_password: owner.password } }),
  ],
  ['the owner resets it', resetPassword],
  ['an administrator changes it', ({ id }) => root.api(users).update({ body: { id, password: NEW_PASSWORD } })],
  [
    'the account is disabled and enabled again',
    async ({ id }) => {
      await root.api(users).update({ body: { id, status: 'disabled' } });
      await root.api(users).update({ body: { id, status: 'enabled' } });
    },
  ],
];

async function resetPassword({ id }: SignedInUser): Promise<void> {
  const email = `owner-${id}@example.com`;
  await root.api(users).update({ body: { id, email } });
  const link = { purpose: 'password-reset', deviceHash: '', userId: id, subject: email, seconds: 60 } as const;
  const token = await issueSecret(ctx, link);
  await app.anonymous.api(signUp).resetPassword({ body: { email, token, password: NEW_PASSWORD } });
}

/** Browser of a person who knows the old password. */
function createCall(device: string): SignInCall {
  return {
    caller: undefined,
    address: '192.0.2.7',
    userAgent: 'another browser',
    secure: true,
    setCookie: () => {},
    deviceHash: () => device,
  };
}

/** Admits one attempt after something else happened. */
const guardAfter = (happens: () => Promise<unknown>) => ({
  beginAttempt: async () => {
    await happens();
    return { allowed: true, queue: 'known', recordSuccess: () => {} } as const;
  },
});

const sessionsFrom = (userId: number, device = 'another browser') =>
  ctx.db.writer
    .selectFrom('session')
    .select('id_hash')
    .where('user_id', '=', userId)
    .where('device', '=', device)
    .execute();

/** The last one keeps the password, so a sign-in with it is as good as one that begins later. */
const passwordReplacements = replacements.slice(0, 3);

test.each(passwordReplacements)(
  'a sign-in with the old password starts no session when %s meanwhile',
  async (_how, replace) => {
    const owner = await app.createUser('user');
    const guard = guardAfter(() => replace(owner));
    await expect(signInWithPassword(ctx, guard, createCall('a'), owner)).rejects.toMatchObject({
      code: 'wrong-credentials',
    });
    expect(await sessionsFrom(owner.id)).toEqual([]);
  },
);

test.each(passwordReplacements)(
  'a sign-in with the old password waits for no second factor when %s meanwhile',
  async (_how, replace) => {
    const owner = await app.createUser('user');
    await addTotp(owner, () => app.clock.now());
    const guard = guardAfter(() => replace(owner));
    await expect(signInWithPassword(ctx, guard, createCall('b'), owner)).rejects.toMatchObject({
      code: 'wrong-credentials',
    });
    expect(await findPendingSignIn(ctx, createCall('b'))).toBeUndefined();
  },
);

test.each(passwordReplacements)(
  'the old password stays when its sessions cannot end while %s',
  async (_how, replace) => {
    const { writer } = ctx.db;
    const owner = await app.createUser('user');
    await startSession(ctx, owner.id, { address: '192.0.2.7', userAgent: 'thief', secure: true, method: 'password' });
    const [session] = await sessionsFrom(owner.id, 'thief');
    // The reference makes the deletion of the session fail.
    await sql`create table session_reference (id_hash text references session (id_hash))`.execute(writer);
    try {
      await sql`insert into session_reference values (${session?.id_hash})`.execute(writer);
      await expect(replace(owner)).rejects.toMatchObject({ code: 'internal' });
    } finally {
      await sql`drop table session_reference`.execute(writer);
    }
    expect(await sessionsFrom(owner.id, 'thief')).toEqual([session]);
    const guard = guardAfter(async () => {});
    expect(await signInWithPassword(ctx, guard, createCall('e'), owner)).toMatchObject({ id: owner.id });
  },
);

test.each([
  ...replacements,
  ['the owner signs out everywhere', (owner: SignedInUser) => owner.api(profile).endSessions()] as const,
  [
    'an administrator ends the sessions',
    ({ id }: SignedInUser) => root.api(users).edit({ body: { ids: [id], edit: { do: 'sign-out' } } }),
  ] as const,
])('a sign-in that waits for its second factor ends when %s', async (_how, replace) => {
  const owner = await app.createUser('user');
  const totp = await addTotp(owner, () => app.clock.now());
  app.clock.advance(60);
  const call = createCall(`c ${owner.id}`);
  await expect(
    signInWithPassword(
      ctx,
      guardAfter(async () => {}),
      call,
      owner,
    ),
  ).rejects.toMatchObject({ code: 'second-factor-required' });
  const waiting = await findPendingSignIn(ctx, call);
  if (waiting === undefined) throw new Error('no sign-in waits');
  await replace(owner);
  // The request with the code had found the waiting sign-in before.
  await expect(finishSignIn(ctx, call, waiting, totp.code())).rejects.toMatchObject({ code: 'link-expired' });
  expect(await sessionsFrom(owner.id)).toEqual([]);
});

test('a pending sign-in creates one session, even with concurrent codes', async () => {
  const owner = await app.createUser('user');
  const { recoveryCodes } = await addTotp(owner, () => app.clock.now());
  const call = createCall(`d ${owner.id}`);
  await signInWithPassword(
    ctx,
    guardAfter(async () => {}),
    call,
    owner,
  ).catch(() => {});
  const waiting = await findPendingSignIn(ctx, call);
  if (waiting === undefined) throw new Error('no sign-in waits');
  const finished = await Promise.allSettled(recoveryCodes.map((code) => finishSignIn(ctx, call, waiting, code)));
  expect(finished.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await sessionsFrom(owner.id)).toHaveLength(1);
});

/** Lets something happen when the next transaction has been requested, and has not begun. */
function runBeforeNextTransaction(happens: () => Promise<unknown>): void {
  const { writer } = ctx.db;
  const begin = writer.transaction.bind(writer);
  const writes = vi.spyOn(writer, 'transaction').mockImplementationOnce(() => {
    const transaction = begin();
    const execute = transaction.execute.bind(transaction);
    vi.spyOn(transaction, 'execute').mockImplementationOnce(async (work) => {
      await happens();
      return execute(work);
    });
    return transaction;
  });
  onTestFinished(() => writes.mockRestore());
}

const readUser = (id: number) =>
  ctx.db.writer
    .selectFrom('user')
    .select(['password_hash', 'email', 'email_verified_time'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

test('a password change with the old password fails if the password has been replaced meanwhile', async () => {
  const owner = await app.createUser('user');
  const caller = await findCaller(ctx, owner);
  // The old password is checked and the new one hashed when the transaction begins.
  runBeforeNextTransaction(() =>
    ctx.db.writer.updateTable('user').set({ password_hash: 'replaced' }).where('id', '=', owner.id).execute(),
  );
  const changing = updateProfile(ctx, caller, { password: NEW_PASSWORD, current_password: owner.password });
  await expect(changing).rejects.toMatchObject({ code: 'wrong-password' });
  expect(await readUser(owner.id)).toMatchObject({ password_hash: 'replaced' });
});

const now = () => app.clock.now();
const passwordOf = ({ password }: SignedInUser) => ({ password: 'of the thief', current_password: password });
const token = { name: 'script', scopes: ['user' as const], read_only: false, expires_time: 0 };

/** Writes of credentials by a session or token that the owner's reset revokes. */
const credentialWrites: readonly [what: string, write: (thief: SignedInUser) => Promise<() => Promise<unknown>>][] = [
  ['an access token', async (thief) => () => thief.api(accessTokens).create({ body: token })],
  ['the access token without a name', async (thief) => () => thief.api(accessTokens).replace()],
  [
    'an email address',
    async (thief) => {
      const caller = await findCaller(ctx, thief);
      const email = `thief-${thief.id}@example.com`;
      const scope = { purpose: 'mail-code', deviceHash: 'a browser', subject: email, seconds: 60 } as const;
      const code = await issueCode(ctx, scope);
      return () => bindEmail(ctx, { caller, deviceHash: () => 'a browser' }, { email, code });
    },
  ],
  ['an authenticator app', async (thief) => () => addTotp(thief, now)],
  [
    'recovery codes',
    async (thief) => {
      await addTotp(thief, now);
      return () => thief.api(secondFactor).makeRecoveryCodes();
    },
  ],
  ['a passkey', async (thief) => () => addPasskey(thief, app.url)],
  ['a password', async (thief) => () => thief.api(profile).update({ body: passwordOf(thief) })],
  [
    'a password, with an access token',
    async (thief) => {
      const authorization = await thief.api(accessTokens).replace();
      return () =>
        createVisitor(app.url, { authorization })
          .api(profile)
          .update({ body: passwordOf(thief) });
    },
  ],
  [
    'the removal of the authenticator app',
    async (thief) => {
      await addTotp(thief, now);
      return () => thief.api(secondFactor).removeTotp();
    },
  ],
  [
    'the removal of a passkey',
    async (thief) => {
      await addPasskey(thief, app.url);
      const [{ id } = expect.fail('no passkey')] = await thief.api(passkeys).list();
      return () => thief.api(passkeys).remove({ params: { id } });
    },
  ],
];

const credentialTables = ['access_token', 'identity', 'passkey', 'recovery_code', 'totp'] as const;

async function readCredentials(userId: number): Promise<unknown[]> {
  const rows: unknown[] = [await readUser(userId)];
  for (const table of credentialTables)
    rows.push(await ctx.db.writer.selectFrom(table).selectAll().where('user_id', '=', userId).execute());
  return rows;
}

test.each(credentialWrites)(
  'a revoked session completes no write of credentials that waited: %s',
  async (_what, prepare) => {
    const owner = await app.createUser('user');
    const write = await prepare(owner);
    let left: unknown[] = [];
    runBeforeNextTransaction(async () => {
      await resetPassword(owner);
      left = await readCredentials(owner.id);
    });
    await expect(write()).rejects.toMatchObject({ code: 'not-signed-in' });
    expect(left).not.toEqual([]);
    expect(await readCredentials(owner.id)).toEqual(left);
  },
);
