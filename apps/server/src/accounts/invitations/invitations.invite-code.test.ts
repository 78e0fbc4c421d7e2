import { profile } from '@switchyard/contract/accounts/profile';
import { signUp } from '@switchyard/contract/accounts/sign-up';
import { users } from '@switchyard/contract/accounts/users';
import { beforeEach, expect, test } from 'vitest';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { profileRoutes } from '../profile/routes.ts';
import { signUpRoutes } from '../sign-up/routes.ts';
import { userRoutes } from '../users/routes.ts';

const app = await useFeatureApp([
  serveRoutes(profile, profileRoutes),
  serveRoutes(signUp, signUpRoutes),
  serveRoutes(users, userRoutes),
]);
const root = await app.createUser('root');
const PASSWORD = 'a rather good one';
const api = app.anonymous.api(signUp);
beforeEach(() => app.clock.advance(1_201));

const rowOf = (username: string) =>
  app.ctx.db.writer
    .selectFrom('user')
    .innerJoin('user_account', 'user_account.user_id', 'user.id')
    .select(['id', 'inviter_id', 'balance'])
    .where('username', '=', username)
    .executeTakeFirstOrThrow();

test('a user’s invite code is stable and unique', async () => {
  const [ann, bob] = [await app.createUser('user'), await app.createUser('user')];
  const codes = await Promise.all([ann, ann, ann, bob].map((user) => user.api(signUp).inviteCode()));
  expect(codes[0]).toMatch(/^[A-Z2-9]{10}$/);
  expect(new Set(codes.slice(0, 3)).size).toBe(1);
  expect(codes[3]).not.toBe(codes[0]);
  await expect(api.inviteCode()).rejects.toMatchObject({ code: 'not-signed-in' });
});

test('inviter and invitee get their gifts, once, by the settings of the moment', async () => {
  await setOptions(app.ctx, { QuotaForNewUser: '1000', QuotaForInvitee: '50', QuotaForInviter: '700' });
  const inviter = await app.createUser('user');
  const { quota } = await inviter.api(profile).get();
  const aff_code = await inviter.api(signUp).inviteCode();
  await api.register({ body: { username: 'invited', password: PASSWORD, aff_code } });
  const invited = await rowOf('invited');
  expect(invited).toMatchObject({ inviter_id: inviter.id, balance: 1050 });
  expect((await inviter.api(profile).get()).quota).toBe(quota + 700);
  const gifts = await app.ctx.db.writer
    .selectFrom('ledger_entry')
    .select(['kind', 'ref', 'user_id', 'user_amount'])
    .where('ref', 'like', `in%:${invited.id}`)
    .orderBy('user_amount')
    .execute();
  expect(gifts).toEqual([
    { kind: 'gift', ref: `invitee:${invited.id}`, user_id: invited.id, user_amount: 50 },
    { kind: 'gift', ref: `inviter:${invited.id}`, user_id: inviter.id, user_amount: 700 },
  ]);
  await expect(api.register({ body: { username: 'invited', password: PASSWORD, aff_code } })).rejects.toMatchObject({
    code: 'already-exists',
  });
  expect((await inviter.api(profile).get()).quota).toBe(quota + 700);
});

test('invite-only registration requires the code of an existing user', async () => {
  await setOptions(app.ctx, { RegisterInviteOnlyEnabled: 'true' });
  const inviter = await app.createUser('user');
  const aff_code = await inviter.api(signUp).inviteCode();
  const as = (username: string, code: string) =>
    api.register({ body: { username, password: PASSWORD, aff_code: code } });
  for (const code of ['', 'NOBODYHASIT', '%'])
    await expect(as('guest', code)).rejects.toMatchObject({
      fields: [{ path: 'aff_code', rule: 'invitation-needed' }],
      message: 'A valid invitation code is required. Ask the person who invited you.',
    });
  await as('guest', aff_code);
  await root.api(users).manage({ body: { username: inviter.username, action: 'disable' } });
  await expect(as('guest-2', aff_code)).rejects.toMatchObject({ fields: [{ path: 'aff_code' }] });
});
