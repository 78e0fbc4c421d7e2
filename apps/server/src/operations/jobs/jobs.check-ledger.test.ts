import { users } from '@switchyard/contract/accounts/users';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nowSeconds } from '../../platform/clock.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { removeRecordsBefore } from '../../usage/usage-records/usage-records.ts';
import { checkLedger } from './jobs.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
});
afterAll(() => scene.close());

const damage = (points: number) =>
  scene.ctx.db.writer
    .updateTable('user_account')
    .set((eb) => ({ balance: eb('balance', '+', points) }))
    .where('user_id', '=', scene.user.id)
    .execute();
const params = () => ({ id: scene.user.id });
const accountOf = () => scene.admin.api(users).get({ params: params() });

test('blocks no user while the ledger is consistent', async () => {
  await (await scene.chat('scripted')).text();
  await scene.waitUntilSettled();
  await checkLedger(scene.ctx);
  expect((await accountOf()).ledger_alarms).toEqual([]);
  expect((await scene.chat('scripted')).status).toBe(200);
});

test('records that an administrator deleted are not missed, even when none is left', async () => {
  // Today's records stay.
  const target_timestamp = nowSeconds(scene.clock) + 10;
  await scene.admin.api(usageRecords).removeOld({ query: { target_timestamp } });
  expect(await scene.records()).not.toEqual([]);
  scene.clock.jump(2 * 86_400);
  await removeRecordsBefore(scene.ctx, target_timestamp);
  scene.clock.jump(-2 * 86_400);
  expect(await scene.records()).toEqual([]);
  await checkLedger(scene.ctx);
  expect((await accountOf()).ledger_alarms).toEqual([]);
});

test('a balance that does not follow from the ledger stops its user until an administrator acknowledges it', async () => {
  const before = await scene.balance();
  await damage(7);
  await checkLedger(scene.ctx);
  const refused = await scene.chat('scripted');
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: { code: 'account_blocked' } });
  expect((await accountOf()).ledger_alarms).toMatchObject([
    { problem: `balance of user ${scene.user.id}`, difference: 7 },
  ]);
  expect(await scene.balance()).toBe(before + 7);

  const other = scene.user.api(users).acknowledgeAlarms({ params: params() });
  await expect(other).rejects.toMatchObject({ code: 'not-allowed' });
  const { ledger_alarms } = await scene.admin.api(users).acknowledgeAlarms({ params: params() });
  expect(ledger_alarms).toEqual([]);
  expect((await scene.chat('scripted')).status).toBe(200);
});

test('an acknowledged difference raises no second alarm, but a further difference does', async () => {
  await scene.waitUntilSettled();
  await checkLedger(scene.ctx);
  expect((await scene.chat('scripted')).status).toBe(200);
  await damage(1);
  await scene.waitUntilSettled();
  await checkLedger(scene.ctx);
  expect((await scene.chat('scripted')).status).toBe(403);
  expect((await accountOf()).ledger_alarms).toMatchObject([{ difference: 8 }]);
});

test('limits the reported records of each user, so that the check ends after a large loss', async () => {
  await scene.admin.api(users).acknowledgeAlarms({ params: params() });
  scene.clock.advance(2_000);
  const begun = nowSeconds(scene.clock);
  for (let nth = 0; nth < 25; nth += 1) await (await scene.chat('scripted')).text();
  await scene.waitUntilSettled();
  await scene.ctx.db.writer.deleteFrom('usage_record').where('created_at', '>=', begun).execute();
  await checkLedger(scene.ctx);
  const { ledger_alarms } = await accountOf();
  expect(ledger_alarms.filter(({ problem }) => problem.startsWith('charge against')).length).toBe(20);
});
