import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import {
  consumeCode,
  consumeSecret,
  findPendingSecret,
  issueCode,
  issueSecret,
  removeExpiredSecrets,
  revokeUserSecrets,
} from './one-time-secrets.ts';

const { ctx, clock } = await useFeatureApp([], { now: Date.UTC(2026, 0, 1) });
const here = { purpose: 'third-party', deviceHash: 'here' } as const;

test('a secret works once, in the browser that it was made for, for its own purpose, until it expires', async () => {
  const value = await issueSecret(ctx, { ...here, userId: 7, seconds: 60, data: { nonce: 'n' } });
  expect(await consumeSecret(ctx, { ...here, deviceHash: 'elsewhere' }, value)).toBeUndefined();
  expect(await consumeSecret(ctx, { ...here, purpose: 'sign-in' }, value)).toBeUndefined();
  expect(await consumeSecret(ctx, here, value)).toEqual({ userId: 7, subject: '', data: { nonce: 'n' } });
  expect(await consumeSecret(ctx, here, value)).toBeUndefined();

  const late = await issueSecret(ctx, { ...here, seconds: 60 });
  clock.advance(60);
  expect(await consumeSecret(ctx, here, late)).toBeUndefined();
});

test('gives the secret to one of twenty concurrent callers', async () => {
  const value = await issueSecret(ctx, { ...here, seconds: 60 });
  const taken = await Promise.all(Array.from({ length: 20 }, () => consumeSecret(ctx, here, value)));
  expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
});

test('the fifth wrong code kills the right one', async () => {
  const scope = { purpose: 'mail-code', deviceHash: 'here', subject: 'a@example.com' } as const;
  const code = await issueCode(ctx, { ...scope, seconds: 600 });
  expect(code).toMatch(/^\d{8}$/);
  const wrong = code === '00000000' ? '11111111' : '00000000';
  for (let i = 0; i < 4; i += 1) expect(await consumeCode(ctx, scope, wrong)).toBeUndefined();
  expect(await consumeCode(ctx, { ...scope, subject: 'b@example.com' }, code)).toBeUndefined();
  expect(await consumeCode(ctx, scope, wrong)).toBeUndefined();
  expect(await consumeCode(ctx, scope, code)).toBeUndefined();
});

test('the right code beyond five concurrent wrong ones does not work', async () => {
  const scope = { purpose: 'mail-code', deviceHash: 'here', subject: 'e@example.com' } as const;
  const code = await issueCode(ctx, { ...scope, seconds: 600 });
  const wrong = code === '00000000' ? '11111111' : '00000000';
  const tries = [...Array.from({ length: 20 }, () => wrong), code];
  const taken = await Promise.all(tries.map((text) => consumeCode(ctx, scope, text)));
  expect(taken.every((one) => one === undefined)).toBe(true);
});

test('a new code for the same address replaces the one before', async () => {
  const scope = { purpose: 'mail-code', deviceHash: 'here', subject: 'c@example.com' } as const;
  const first = await issueCode(ctx, { ...scope, seconds: 600 });
  const second = await issueCode(ctx, { ...scope, seconds: 600 });
  if (first !== second) expect(await consumeCode(ctx, scope, first)).toBeUndefined();
  expect(await consumeCode(ctx, scope, second)).toMatchObject({ subject: 'c@example.com' });
});

test('deletes the pending secrets of a deleted account, and expired ones', async () => {
  const pending = { purpose: 'sign-in', deviceHash: 'here' } as const;
  await issueSecret(ctx, { ...pending, userId: 9, seconds: 60 });
  expect(await findPendingSecret(ctx, pending)).toMatchObject({ userId: 9 });
  await revokeUserSecrets(ctx.db.writer, 9);
  expect(await findPendingSecret(ctx, pending)).toBeUndefined();
  await issueSecret(ctx, { ...pending, seconds: 1 });
  clock.advance(86_400);
  await removeExpiredSecrets(ctx);
  // The set-up link of the test's app still exists.
  expect(await ctx.db.writer.selectFrom('one_time').selectAll().where('purpose', '!=', 'set-up').execute()).toEqual([]);
});

test('the database holds neither a code nor what belongs to it', async () => {
  const scope = { purpose: 'mail-code', deviceHash: 'here', subject: 'd@example.com' } as const;
  const code = await issueCode(ctx, { ...scope, seconds: 60, data: 'canary' });
  const rows = JSON.stringify(await ctx.db.writer.selectFrom('one_time').selectAll().execute());
  expect(rows).not.toContain(code);
  expect(rows).not.toContain('canary');
});

test.each([
  ['browser', 10, (nth: number) => ({ userId: nth })],
  ['user', 100, (nth: number) => ({ userId: 70, deviceHash: `browser ${nth}` })],
])('a %s that asks 200 times has %i secrets, the latest of which works', async (_owner, max, differ) => {
  const scope = { ...here, purpose: 'passkey', deviceHash: 'asks often' } as const;
  let latest: Parameters<typeof consumeSecret> | undefined;
  for (let nth = 1; nth <= 200; nth += 1) {
    const own = { ...scope, ...differ(nth) };
    latest = [ctx, own, await issueSecret(ctx, { ...own, seconds: 300 })];
    clock.advance(0.1);
  }
  const rows = await ctx.db.writer.selectFrom('one_time').selectAll().where('purpose', '=', 'passkey').execute();
  expect(rows).toHaveLength(max);
  expect(latest && (await consumeSecret(...latest))).toBeDefined();
  await ctx.db.writer.deleteFrom('one_time').execute();
});

test('a wrong code costs no more when strangers have 100,000 secrets', async () => {
  const now = Math.floor(clock.now() / 1_000);
  const stranger = () => ({
    value_hash: randomUUID(),
    purpose: 'passkey',
    device_hash: randomUUID(),
    user_id: null,
    subject: '',
    data_sealed: '',
    tries: 0,
    created_time: now,
    expires_time: now + 300,
  });
  await ctx.db.writer.transaction().execute(async (trx) => {
    for (let nth = 0; nth < 100; nth += 1)
      await trx
        .insertInto('one_time')
        .values(Array.from({ length: 1_000 }, stranger))
        .execute();
  });
  const scope = { purpose: 'mail-code', deviceHash: 'here', subject: 'f@example.com' } as const;
  await issueCode(ctx, { ...scope, seconds: 600 });
  expect(await measureLongestBlockRepeatedly(() => consumeCode(ctx, scope, 'wrong'))).toBeLessThan(5);
});
