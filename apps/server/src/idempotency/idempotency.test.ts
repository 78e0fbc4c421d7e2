import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { nowSeconds } from '../platform/clock.ts';
import { advanceWhile } from '../testing/advance-until.ts';
import { measureLongestBlock } from '../testing/measure-longest-block.ts';
import { useFeatureApp } from '../testing/start-feature-app.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { KEYS_MAX } from './count-idempotency-keys.ts';
import {
  claimKey,
  computeFingerprint,
  evictOldResponses,
  NO_USER,
  releaseKey,
  removeExpiredKeys,
  storeIdempotentResponse,
} from './idempotency.ts';

const DAY = 86_400;
/** Turns of the event loop that handle no more than a piece take a few milliseconds; garbage collection adds some. */
const TURN_MAX_MS = 50;
const MANY = 100_000;

const machine = createTestClock(0);
const app = await useFeatureApp([], { now: 1_800_000_000_000, machineClock: machine });
const { db } = app.ctx;

beforeEach(async () => {
  await db.writer.deleteFrom('idempotency_key').execute();
  await db.writer.deleteFrom('idempotency_usage').execute();
});

/** Skips the pauses of the work. */
const withoutPauses = <T>(work: Promise<T>) => advanceWhile(machine, 1, work);
const now = () => nowSeconds(app.clock);
const use = (key: string, userId = 1) => ({
  userId,
  scope: `relay ${userId} 7`,
  key,
  fingerprint: 'f',
  requestId: `r-${key}`,
});
const answer = (bytes: number) => ({ status: 200, contentType: 'text/plain', body: Buffer.alloc(bytes) });
const stored = (userId = 1) =>
  db.writer
    .selectFrom('idempotency_key')
    .select('key')
    .where('user_id', '=', userId)
    .where('body', 'is not', null)
    .orderBy('created_at')
    .execute();

/** Inserts keys as they are after as many requests, ten a second, each with a response of so many bytes. */
async function insertMany(count: number, bytes: number, firstAt = now() - DAY / 2): Promise<void> {
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into idempotency_key (scope, key, user_id, fingerprint, request_id, created_at, status, content_type, body)
    select 'relay 1 7', 'old-' || i, 1, 'f', 'r', ${firstAt} + i / 10, 200, 'text/plain', ${Buffer.alloc(bytes)} from n`.execute(
    db.writer,
  );
  await db.writer
    .insertInto('idempotency_usage')
    .values({ user_id: 1, keys: count, bytes: count * bytes })
    .execute();
}

describe('the usage of a user', () => {
  /** Small steps in an order that a seed determines. */
  test.each([1, 2, 3, 4, 5])('equals the sum of its keys after every step (seed %i)', async (seed) => {
    let state = seed;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let step = 0; step < 150; step += 1) {
      const one = use(`key-${random(12)}`, 1 + random(2));
      const what = random(6);
      if (what < 3) await claimKey(db.writer, one, now());
      else if (what === 3) await storeIdempotentResponse(db.writer, one, answer(random(3_000)));
      else if (what === 4) await releaseKey(db.writer, one);
      else app.clock.jump(random(DAY / 3));
      if (random(10) === 0) await withoutPauses(removeExpiredKeys(app.ctx));
      if (random(10) === 0) await withoutPauses(evictOldResponses(db, one.userId, 4_000));
      const { rows } = await sql`select user_id, count(*) as keys, coalesce(sum(octet_length(body)), 0) as bytes
        from idempotency_key group by user_id order by user_id`.execute(db.writer);
      expect(await db.writer.selectFrom('idempotency_usage').selectAll().orderBy('user_id').execute()).toEqual(rows);
    }
  });

  test('refuses a new key at the limit and leaves none behind, while keys in use stay known', async () => {
    await claimKey(db.writer, use('known'), now());
    await db.writer.updateTable('idempotency_usage').set({ keys: KEYS_MAX }).execute();
    expect(await claimKey(db.writer, use('new'), now())).toEqual({ state: 'too-many' });
    expect(await claimKey(db.writer, use('new'), now())).toEqual({ state: 'too-many' });
    expect((await claimKey(db.writer, use('known'), now())).state).toBe('unfinished');
    expect((await claimKey(db.writer, use('new', 2), now())).state).toBe('new');
    expect((await claimKey(db.writer, use('new', NO_USER), now())).state).toBe('new');
  });
});

test('deletes the oldest responses of a user and keeps their keys', async () => {
  for (let nth = 0; nth < 40; nth += 1) {
    app.clock.jump(1);
    for (const userId of [1, 2]) {
      await claimKey(db.writer, use(`key-${nth}`, userId), now());
      await storeIdempotentResponse(db.writer, use(`key-${nth}`, userId), answer(1_000_000));
    }
  }
  await withoutPauses(evictOldResponses(db, 1, 5_500_000));
  expect((await stored()).map(({ key }) => key)).toEqual(['key-35', 'key-36', 'key-37', 'key-38', 'key-39']);
  expect((await claimKey(db.writer, use('key-0'), now())).state).toBe('unfinished');
  expect(await stored(2)).toHaveLength(40);
});

describe(`with ${MANY} keys of one user`, () => {
  test('a request takes as long as with one', async () => {
    await insertMany(MANY, 400);
    const turn = await measureLongestBlock(async () => {
      await claimKey(db.writer, use('new'), now());
      await storeIdempotentResponse(db.writer, use('new'), answer(1_000_000));
      // Nothing is left to delete.
      await evictOldResponses(db, 1, MANY * 400 + 1_000_000);
    });
    expect(turn).toBeLessThan(TURN_MAX_MS);
  });

  test('deleting the oldest responses lets others run', async () => {
    await insertMany(MANY, 400);
    const turn = await measureLongestBlock(() => withoutPauses(evictOldResponses(db, 1, (MANY - 20_000) * 400)));
    expect(turn).toBeLessThan(TURN_MAX_MS);
    expect(await stored()).toHaveLength(MANY - 20_000);
  });
});

test('removing the keys of a day before lets others run', async () => {
  await insertMany(40_000, 1_000, now() - 2 * DAY);
  let removed = 0;
  const turn = await measureLongestBlock(async () => {
    removed = await withoutPauses(removeExpiredKeys(app.ctx));
  });
  expect(removed).toBe(40_000);
  expect(turn).toBeLessThan(TURN_MAX_MS);
  expect(await db.writer.selectFrom('idempotency_usage').selectAll().execute()).toEqual([]);
});

test('computes the fingerprint of a large request in short slices, with the same result as at once', () => {
  const bytes = Buffer.alloc(48 * 1_048_576, 'a text of a request ');
  const slices = computeFingerprint(['chat', bytes]);
  let count = 0;
  let fingerprint: string | undefined;
  for (; fingerprint === undefined; count += 1) fingerprint = slices.next().value;
  expect(fingerprint).toBe(createHash('sha256').update('chat\n').update(bytes).update('\n').digest('base64url'));
  expect(count).toBeGreaterThan(300);
});
