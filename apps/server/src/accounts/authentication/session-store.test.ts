/** The number of an account's sessions is limited, so that ending all of them takes little time. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { measureLongestBlock } from '../../testing/measure-longest-block.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { endAllSessions, listActiveSessions, startImpersonation, startSession } from './authentication.ts';

const app = await useFeatureApp([], { now: Date.UTC(2026, 0, 1) });
const { ctx, clock } = app;
const client = { address: '127.0.0.1', userAgent: 'browser', secure: true };

test('150 sign-ins leave the latest 100 sessions of the user, and those of others', async () => {
  const [one, other] = [await app.createUser('user'), await app.createUser('user')];
  const since = Math.floor(clock.now() / 1_000);
  for (let nth = 1; nth <= 150; nth += 1) {
    clock.advance(1);
    await startSession(ctx, one.id, { ...client, method: 'password' });
  }
  const sessions = await listActiveSessions(ctx, { userId: one.id, role: 'user' });
  expect(sessions.map(({ created_time }) => created_time - since)).toEqual(
    Array.from({ length: 100 }, (_, nth) => 150 - nth),
  );
  expect(await listActiveSessions(ctx, { userId: other.id, role: 'user' })).toHaveLength(1);
});

test('impersonations end no session of the user, and are limited as well', async () => {
  const { id } = await app.createUser('user');
  const root = await app.createUser('root');
  const [parent] = await listActiveSessions(ctx, { userId: root.id, role: 'root' });
  for (let nth = 1; nth <= 150; nth += 1) await startImpersonation(ctx, id, parent?.id_hash ?? '', client);
  const rows = await ctx.db.writer.selectFrom('session').select('parent_hash').where('user_id', '=', id).execute();
  expect(rows.filter(({ parent_hash }) => parent_hash === null)).toHaveLength(1);
  expect(rows).toHaveLength(101);
});

test('an account with more sessions from an earlier version loses them in pieces', async () => {
  const { id } = await app.createUser('user');
  const now = Math.floor(clock.now() / 1_000);
  const session = () => ({
    id_hash: randomUUID(),
    user_id: id,
    created_time: now,
    last_seen_time: now,
    address: '',
    device: '',
    stepped_up_until: 0,
  });
  for (let nth = 0; nth < 40; nth += 1)
    await ctx.db.writer
      .insertInto('session')
      .values(Array.from({ length: 1_000 }, session))
      .execute();
  const longest = await measureLongestBlock(() => endAllSessions(ctx, id));
  // Ending all of them in one turn takes 160 ms.
  expect(longest).toBeLessThan(80);
  const left = await ctx.db.writer.selectFrom('session').select('id_hash').where('user_id', '=', id).execute();
  expect(left).toEqual([]);
});
