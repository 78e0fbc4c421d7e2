import { invitations } from '@switchyard/contract/accounts/invitations';
import { profile } from '@switchyard/contract/accounts/profile';
import { users } from '@switchyard/contract/accounts/users';
import { beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../db/open-database.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { profileRoutes } from '../profile/routes.ts';
import { userRoutes } from '../users/routes.ts';
import { createAccount } from '../users/users.ts';
import { payInviterShare, reverseInviterShare } from './invitations.ts';
import { invitationRoutes } from './routes.ts';

const app = await useFeatureApp(
  [serveRoutes(invitations, invitationRoutes), serveRoutes(profile, profileRoutes), serveRoutes(users, userRoutes)],
  { now: Date.UTC(2026, 10, 21) },
);
const { ctx } = app;
const root = await app.createUser('root');
const DAY = 86_400;

beforeEach(() =>
  setOptions(ctx, {
    QuotaForInviter: '700',
    QuotaForInvitee: '50',
    InviterRewardsPerMonth: '0',
    InvitationNeedsProofEnabled: 'false',
    InviterSharePercent: '0',
    InviterShareTopUps: '1',
  }),
);

const join = (inviter: SignedInUser, username: string, more: { email?: string; giftIdentity?: string } = {}) =>
  createAccount(ctx, {
    username,
    role: 'user',
    group: 'default',
    inviterId: inviter.id,
    ...more,
    ...(more.email === undefined ? {} : { emailIsProven: true }),
  });
const balanceOf = async (userId: number): Promise<number> => {
  const { balance } = await ctx.db.writer
    .selectFrom('user_account')
    .select('balance')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return balance;
};

const gateway = await insertPaymentProvider(ctx);

/** Creates an order that was paid just now, with its share. */
async function payOrder(userId: number, quota: number) {
  const order = await insertPaymentOrder(ctx, { user_id: userId, processor_id: gateway, quota });
  await ctx.ledger.transaction((trx, moves) => payInviterShare(ctx, trx, moves, order));
  return order;
}
const refund = (order: Awaited<ReturnType<typeof payOrder>>, refundedQuota: number) =>
  ctx.ledger.transaction((trx, moves) => reverseInviterShare(trx, moves, order, refundedQuota));

test('an inviter sees the own invitations, with shortened names and what each brought', async () => {
  const [inviter, other] = [await app.createUser('user'), await app.createUser('user')];
  await join(inviter, 'somebody');
  app.clock.advance(60);
  await setOptions(ctx, { QuotaForInviter: '900' });
  await join(inviter, 'bob');
  const gone = await join(inviter, 'leaving');
  await join(other, 'stranger');
  await root.api(users).remove({ params: { id: gone } });
  const now = Math.floor(app.clock.now() / 1000);
  expect(await inviter.api(invitations).list()).toMatchObject({
    total_count: 3,
    data: [
      { name: '…', created_time: now, reward: 900 },
      { name: 'b…', created_time: now, reward: 900 },
      { name: 'so…y', created_time: now - 60, reward: 700 },
    ],
  });
  expect((await inviter.api(invitations).list({ query: { page: 2, size: 2 } })).data).toMatchObject([{ name: 'so…y' }]);
  expect(await inviter.api(invitations).terms()).toEqual({
    inviter_reward: 900,
    invitee_reward: 50,
    share_percent: 0,
    share_top_ups: 1,
    rewards_per_month: 0,
    invited: 3,
    earned: 2_500,
  });
  expect((await inviter.api(profile).get()).quota).toBe(2_500);
  await expect(app.anonymous.api(invitations).list()).rejects.toMatchObject({ code: 'not-signed-in' });
});

test('an invitation that requires verification is rewarded only for a verified user', async () => {
  await setOptions(ctx, { InvitationNeedsProofEnabled: 'true' });
  const inviter = await app.createUser('user');
  const nobody = await join(inviter, 'proof-none');
  expect(await balanceOf(inviter.id)).toBe(0);
  expect(await balanceOf(nobody)).toBe(50);
  await join(inviter, 'proof-mail', { email: 'proof@example.org' });
  await join(inviter, 'proof-github', { giftIdentity: 'github::42' });
  expect(await balanceOf(inviter.id)).toBe(1_400);
  // The same person once more, who brought a reward already.
  await join(inviter, 'proof-again', { giftIdentity: 'github::42' });
  expect(await balanceOf(inviter.id)).toBe(1_400);
});

test('the inviter gets a share of the first top-ups, rounded down, and of no later one', async () => {
  await setOptions(ctx, { InviterSharePercent: '12.5', InviterShareTopUps: '2', QuotaForInviter: '0' });
  const inviter = await app.createUser('user');
  const invitee = await join(inviter, 'buyer');
  await payOrder(invitee, 1_001);
  expect(await balanceOf(inviter.id)).toBe(125);
  await payOrder(invitee, 7);
  await payOrder(invitee, 8);
  expect(await balanceOf(inviter.id)).toBe(125);
  const other = await join(inviter, 'buyer-2');
  await payOrder(other, 2_000);
  expect(await balanceOf(inviter.id)).toBe(375);
  expect((await inviter.api(invitations).list()).data).toMatchObject([
    { name: 'bu…2', reward: 250 },
    { name: 'bu…r', reward: 125 },
  ]);
});

test('pays no share to users without invitees, to disabled or deleted users, or when no share is set', async () => {
  const [inviter, leaver] = [await app.createUser('user'), await app.createUser('user')];
  const [first, second] = [await join(inviter, 'share-1'), await join(leaver, 'share-2')];
  await payOrder(first, 1_000);
  expect(await balanceOf(inviter.id)).toBe(700);
  await setOptions(ctx, { InviterSharePercent: '10', InviterShareTopUps: '9' });
  await root.api(users).manage({ body: { username: inviter.username, action: 'disable' } });
  await root.api(users).remove({ params: { id: leaver.id } });
  await payOrder(first, 1_000);
  await payOrder(second, 1_000);
  await payOrder(inviter.id, 1_000);
  expect([await balanceOf(inviter.id), await balanceOf(leaver.id)]).toEqual([700, 700]);
});

test('the largest order is shared exactly', async () => {
  await setOptions(ctx, { InviterSharePercent: '33.333333', QuotaForInviter: '0' });
  const inviter = await app.createUser('user');
  await payOrder(await join(inviter, 'whale'), 500_000_000_000);
  expect(await balanceOf(inviter.id)).toBe(166_666_665_000);
});

test('refunds take the same part of the share back, in any number of steps, and may leave a debt', async () => {
  await setOptions(ctx, { InviterSharePercent: '10', QuotaForInviter: '0' });
  const inviter = await app.createUser('user');
  const order = await payOrder(await join(inviter, 'refunded'), 1_005);
  expect(await balanceOf(inviter.id)).toBe(100);
  await ctx.ledger.transaction((_trx, moves) =>
    moves.post({ kind: 'adjust', ref: 'spent', userId: inviter.id, amount: -90, note: '' }),
  );
  await refund(order, 335);
  expect(await balanceOf(inviter.id)).toBe(66 - 90);
  await refund(order, 335);
  expect(await balanceOf(inviter.id)).toBe(66 - 90);
  // That refund failed after all, and was sent again.
  await refund(order, 0);
  expect(await balanceOf(inviter.id)).toBe(100 - 90);
  await refund(order, 335);
  await refund(order, 1_005);
  expect(await balanceOf(inviter.id)).toBe(-90);
  expect((await inviter.api(invitations).terms()).earned).toBe(0);
});

test('a refund of an order without a share takes nothing', async () => {
  const inviter = await app.createUser('user');
  const order = await payOrder(await join(inviter, 'unshared'), 1_000);
  await refund(order, 1_000);
  expect(await balanceOf(inviter.id)).toBe(700);
});

test('beyond the rewards of 30 days the inviter gets nothing, and who was invited still does', async () => {
  await setOptions(ctx, { InviterRewardsPerMonth: '2' });
  const inviter = await app.createUser('user');
  await join(inviter, 'month-1');
  app.clock.advance(10 * DAY);
  await join(inviter, 'month-2');
  const third = await join(inviter, 'month-3');
  expect(await balanceOf(inviter.id)).toBe(1_400);
  expect(await balanceOf(third)).toBe(50);
  app.clock.advance(20 * DAY);
  await join(inviter, 'month-4');
  await join(inviter, 'month-5');
  expect(await balanceOf(inviter.id)).toBe(2_100);
});

test('the ledger adds up after all tests, and every reward is a ledger entry', async () => {
  expect((await verifyLedger(ctx.db.writer)).problems).toEqual([]);
  const rewards = await ctx.db.writer.selectFrom('invitation_reward').selectAll().execute();
  for (const { ref, inviter_id, points } of rewards) {
    const entries = await ctx.db.writer
      .selectFrom('ledger_entry')
      .select('user_amount')
      .where('user_id', '=', inviter_id)
      .where('kind', '=', 'gift')
      .where((eb) => eb.or([eb('ref', '=', ref), eb('ref', 'like', `${ref}:%`)]))
      .execute();
    expect(entries.reduce((sum, { user_amount }) => sum + user_amount, 0)).toBe(points);
  }
});

test('rewards of the version before are known after the update', async () => {
  const file = await writeOldDatabase(
    '0011-money',
    `insert into "user" (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
        role_since, created_time, last_login_time, last_login_ip, inviter_id)
      values (1, 'inviter', '', '', '', '', 'user', 'enabled', 'default', 0, 0, 0, '', null),
        (2, 'invitee', '', '', '', '', 'user', 'enabled', 'default', 0, 0, 0, '', 1);
    insert into ledger_entry (created_at, kind, ref, user_id, api_key_id, user_amount, key_amount, note)
      values (5, 'gift', 'inviter:2', 1, null, 70, 0, ''), (5, 'gift', 'invitee:2', 2, null, 7, 0, '')`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('invitation_reward').selectAll().execute()).toEqual([
    { ref: 'inviter:2', what: 'invitation', inviter_id: 1, invitee_id: 2, points: 70, changes: 0, created_time: 5 },
  ]);
  await db.close();
});
