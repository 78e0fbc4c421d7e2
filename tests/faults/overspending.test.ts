/** P7: concurrent requests never spend a balance twice. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import type { SignedInUser } from '../../apps/server/src/testing/start-test-app.ts';
import { apiKeySetting, apiKeys } from '../../packages/contract/src/accounts/api-keys.ts';
import { users } from '../../packages/contract/src/accounts/users.ts';
import type { ApiKeyId } from '../../packages/contract/src/ids.ts';
import { pointsAmount, toPoints } from '../../packages/contract/src/money.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { reportMeasurement } from '../tier.ts';
import { removeRateLimits } from './remove-rate-limits.ts';

/** Hold of every request: the estimates of these requests, whose output is limited, are below it. */
const HOLD = 100_000;
const CALLERS = 1_000;
const ROOM_FOR = 10;
const BODY = { model: 'scripted+silent', max_tokens: 1_000, messages: [{ role: 'user', content: 'Say something.' }] };

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
  await scene.admin.api(settings).update({ body: { key: 'PreConsumedQuota', value: String(HOLD) } });
  await removeRateLimits(scene.admin);
});
afterAll(() => scene.close());

interface Limits {
  balance: number;
  keyQuota?: number;
  dayBudget?: number;
}

async function callerWith({
  balance,
  keyQuota,
  dayBudget,
}: Limits): Promise<{ user: SignedInUser; id: ApiKeyId; key: string }> {
  const user = await scene.createUser('user', { quota: balance });
  const setting = apiKeySetting.parse({});
  const day = dayBudget === undefined ? null : pointsAmount.parse(dayBudget);
  const { id, key } = await user
    .api(apiKeys)
    .create({
      body: {
        name: 'crowd',
        unlimited_quota: keyQuota === undefined,
        remain_quota: pointsAmount.parse(keyQuota ?? 0),
        setting: { ...setting, limits: { ...setting.limits, budgets: { day, week: null, month: null } } },
      },
    });
  return { user, id, key };
}

interface Crowd {
  /** Requests that reached the upstream. */
  admitted: number;
  /** Number of responses by status. */
  refused: Map<number, number>;
}

/** Sends all requests at once; the upstream responds only after all others have been refused. */
async function askAtOnce(key: string, meanwhile: () => Promise<unknown> = async () => {}): Promise<Crowd> {
  scene.upstream.requests.length = 0;
  const leaving = new AbortController();
  const refused = new Map<number, number>();
  let refusals = 0;
  const asking = Array.from({ length: CALLERS }, async () => {
    const response = await scene.post('/v1/chat/completions', BODY, { key, signal: leaving.signal });
    refused.set(response.status, (refused.get(response.status) ?? 0) + 1);
    refusals += 1;
    await response.text();
  });
  const ended = Promise.allSettled(asking);
  await meanwhile();
  const decided = () => refusals + scene.upstream.requests.length;
  await expect.poll(decided, { timeout: 60_000 }).toBe(CALLERS);
  leaving.abort();
  await ended;
  await scene.waitUntilSettled();
  return { admitted: scene.upstream.requests.length, refused };
}

async function balanceOf({ id }: SignedInUser): Promise<number> {
  return (await scene.admin.api(users).get({ params: { id } })).quota;
}

/** OpenAI's status for an exhausted quota. */
const SPENT = 429;

describe(`${CALLERS} requests at once`, () => {
  test.each([
    ['a balance', { balance: ROOM_FOR * HOLD }],
    ['a token quota', { balance: 50 * HOLD, keyQuota: ROOM_FOR * HOLD }],
    ['a day budget', { balance: 50 * HOLD, dayBudget: ROOM_FOR * HOLD }],
    [
      'a token quota for 12, a balance for 11 and a day budget',
      { balance: 11 * HOLD, keyQuota: 12 * HOLD, dayBudget: ROOM_FOR * HOLD },
    ],
  ] as const)('on %s for ten admit ten and refuse the others', async (what, limits) => {
    const { user, key } = await callerWith(limits);
    const { admitted, refused } = await askAtOnce(key);
    expect(admitted).toBe(ROOM_FOR);
    expect(refused).toEqual(new Map([[SPENT, CALLERS - ROOM_FOR]]));
    expect(await balanceOf(user)).toBe(limits.balance);
    expect((await verifyLedger(scene.ctx.db.writer)).problems).toEqual([]);
    reportMeasurement(
      'P7',
      `${CALLERS} at once on ${what} for ten: ${admitted} admitted, ${refused.get(SPENT)} refused`,
    );
  });

  test('while an administrator removes points are admitted for the remaining balance only', async () => {
    const { user, key } = await callerWith({ balance: ROOM_FOR * HOLD });
    const change = { params: { id: user.id }, body: { quota: toPoints(-HOLD) } };
    const admin = scene.admin.api(users);
    let taken = 0;
    const take = async (): Promise<void> => {
      for (let step = 0; step < ROOM_FOR; step += 1) {
        const isTaken = await admin.changeQuota(change).then(
          () => true,
          () => false,
        );
        if (isTaken) taken += 1;
      }
    };
    const taking = take();
    await expect.poll(() => taken, { interval: 1 }).toBeGreaterThan(1);
    const { admitted } = await askAtOnce(key, () => taking);
    expect(admitted + taken).toBe(ROOM_FOR);
    expect(await balanceOf(user)).toBe(admitted * HOLD);
    expect((await verifyLedger(scene.ctx.db.writer)).problems).toEqual([]);
    reportMeasurement(
      'P7',
      `${CALLERS} at once while points are taken away: ${admitted} admitted, ${taken} times taken, room for ${ROOM_FOR}`,
    );
  });

  test('while an administrator lowers the token quota never hold more than the previous quota', async () => {
    const { user, key, id } = await callerWith({ balance: 50 * HOLD, keyQuota: ROOM_FOR * HOLD });
    const { admitted } = await askAtOnce(key, async () => {
      while (scene.upstream.requests.length === 0) await nextTurn();
      const remain_quota = pointsAmount.parse(HOLD);
      await user.api(apiKeys).update({ body: { id, remain_quota } });
    });
    expect(admitted).toBeGreaterThan(0);
    expect(admitted).toBeLessThanOrEqual(ROOM_FOR);
    expect((await scene.chat('scripted', {}, key)).status).toBe(200);
    await scene.waitUntilSettled();
    expect((await verifyLedger(scene.ctx.db.writer)).problems).toEqual([]);
  });
});

test('an overdraft comes only from a charge above its hold, is shown, and refuses the next request', async () => {
  const { user, key } = await callerWith({ balance: HOLD });
  const answer = await scene.chat('scripted+tokens-200000', {}, key);
  await answer.text();
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  const debt = -(await balanceOf(user));
  expect(record?.user_id).toBe(user.id);
  expect(debt).toBe((record?.quota ?? 0) - HOLD);
  expect(debt).toBeGreaterThan(0);
  expect(JSON.parse(record?.detail ?? '{}')).toMatchObject({ overrun: debt });
  expect((await scene.chat('scripted', {}, key)).status).toBe(SPENT);
});
