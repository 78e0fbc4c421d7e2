/** Fills an empty installation with a realistic month: users, tokens, channels, calls and payments. */
import { randomBytes } from 'node:crypto';
import { createApiKey as createApiKeySchema } from '@switchyard/contract/accounts/api-keys';
import { getRightsOfRole } from '@switchyard/contract/accounts/permissions';
import { createUserGroup as createUserGroupSchema } from '@switchyard/contract/accounts/user-groups';
import { createChannel as createChannelSchema } from '@switchyard/contract/channels/channels';
import { userId as userIdSchema } from '@switchyard/contract/ids';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import { createApiKey } from '../../accounts/api-keys/api-keys.ts';
import { createUserGroup, listUserGroups, updateUserGroup } from '../../accounts/user-groups/user-groups.ts';
import { createAccount } from '../../accounts/users/users.ts';
import { createChannels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { saveOptions } from '../../operations/settings/settings.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { type DemoUser, demoChannels, demoGroups, demoUsers } from './demo-data.ts';
import { type ActiveDemoChannel, type DemoCaller, generateCalls } from './generate-calls.ts';
import { createRandom } from './random.ts';
import { writeCalls } from './write-calls.ts';

/** Key of the channels. The simulated provider accepts any. */
export const DEMO_KEY = 'demo-key';
const SEED = 20_260_101;
const CALLS = 30_000;
const DAY_MS = 86_400_000;
const DAYS = 30;
const FIRST_CREDIT_POINTS = 25 * POINTS_PER_USD;

/** Clock of the demonstration: follows the system's time, or stands still while the month is written. */
export interface SettableClock extends Clock {
  travelTo(ms: number): void;
  returnToPresent(): void;
}

export function createSettableClock(): SettableClock {
  let standing: number | undefined;
  return {
    ...systemClock,
    now: () => standing ?? Date.now(),
    travelTo(ms) {
      standing = ms;
    },
    returnToPresent() {
      standing = undefined;
    },
  };
}

/** @param upstreamUrl current address of the simulated provider */
export async function fillDemo(ctx: Context, clock: SettableClock, upstreamUrl: string): Promise<void> {
  const random = createRandom(SEED);
  const end = clock.now();
  clock.travelTo(end - (DAYS + 1) * DAY_MS);
  await createDemoGroups(ctx);
  const channels = await createDemoChannels(ctx, upstreamUrl);
  const callers: DemoCaller[] = [await getRootCaller(ctx)];
  for (const [index, person] of demoUsers.entries()) {
    clock.travelTo(end - (DAYS + 1) * DAY_MS + index * 600_000);
    callers.push(await createUserWithKeys(ctx, person, index));
  }
  const ratios = new Map(demoGroups.map(({ symbol, ratio }) => [symbol, ratio]));
  await writeCalls(ctx, generateCalls(random, { callers, channels, end, count: CALLS }), ratios, clock);
  clock.returnToPresent();
  await correctBalances(ctx, callers);
  await fillDerivedState(ctx, channels, end);
}

async function createDemoGroups(ctx: Context): Promise<void> {
  const existing = await listUserGroups(ctx, { page: 1, size: 100 });
  for (const group of demoGroups) {
    const known = existing.data.find(({ symbol }) => symbol === group.symbol);
    if (known === undefined) await createUserGroup(ctx, createUserGroupSchema.parse(group));
    else await updateUserGroup(ctx, { ...known, ...group });
  }
}

async function createDemoChannels(ctx: Context, upstreamUrl: string): Promise<ActiveDemoChannel[]> {
  const channels: ActiveDemoChannel[] = [];
  for (const channel of demoChannels) {
    const { groups, models, slowness, name, type, priority, weight, tag, costRatio } = channel;
    const base_url = slowness > 2 ? `${upstreamUrl}/slow` : upstreamUrl;
    const cost = { ratio: costRatio };
    const form = { name, type, priority, weight, tag, base_url, models, group: groups, cost, key: DEMO_KEY };
    for (const { id } of await createChannels(ctx, createChannelSchema.parse(form))) channels.push({ ...channel, id });
  }
  return channels;
}

async function createUserWithKeys(ctx: Context, person: DemoUser, index: number): Promise<DemoCaller> {
  const { username, displayName, role, group, weight, keys } = person;
  // The password is discarded, because these users do not sign in. It can be set in the console.
  const password = randomBytes(24).toString('base64url');
  const email = `${username}@example.com`;
  const userId = await createAccount(ctx, { username, display_name: displayName, password, email, group, role });
  await ctx.ledger.transaction((_trx, moves) =>
    moves.post({ kind: 'gift', ref: `demo-${userId}`, userId, amount: FIRST_CREDIT_POINTS, note: 'Welcome' }),
  );
  const keyIds = await createKeys(ctx, { userId, groupSymbol: group, role }, keys);
  return { userId, group, weight, keyIds, address: `203.0.113.${10 + index}` };
}

/** Returns root as a caller, whose own usage the visitor sees. */
async function getRootCaller(ctx: Context): Promise<DemoCaller> {
  const { id, group_symbol: group } = await findRoot(ctx);
  const keyIds = await createKeys(ctx, { userId: id, groupSymbol: group, role: 'user' }, ['notebook', 'evaluation']);
  return { userId: id, group, weight: 6, keyIds, address: '203.0.113.9' };
}

async function findRoot(ctx: Context) {
  const row = await ctx.db.writer
    .selectFrom('user')
    .select(['id', 'group_symbol'])
    .where('role', '=', 'root')
    .executeTakeFirstOrThrow();
  return { ...row, id: userIdSchema.parse(row.id) };
}

async function createKeys(
  ctx: Context,
  owner: Pick<Caller, 'userId' | 'groupSymbol' | 'role'>,
  names: readonly string[],
): Promise<number[]> {
  const creator = { ...owner, rights: new Set(getRightsOfRole(owner.role, [])), sessionIdHash: undefined };
  const ids: number[] = [];
  for (const name of names) {
    const key = await createApiKey(ctx, creator, createApiKeySchema.parse({ name, unlimited_quota: true }));
    ids.push(key.id);
  }
  return ids;
}

/** Makes manual corrections: a refund, and an account with a low balance. */
async function correctBalances(ctx: Context, callers: readonly DemoCaller[]): Promise<void> {
  const [refunded, last] = [callers[7], callers.at(-1)];
  if (refunded === undefined || last === undefined) return;
  const changes = [
    { userId: refunded.userId, amount: 5 * POINTS_PER_USD, note: 'Refund for the outage' },
    {
      userId: last.userId,
      amount: POINTS_PER_USD / 10 - (await ctx.ledger.readAvailable(last.userId)),
      note: 'End of the trial',
    },
  ];
  for (const { userId, amount, note } of changes) {
    await ctx.ledger.transaction((_trx, moves) =>
      moves.post({ kind: 'adjust', ref: `demo-${userId}`, userId, amount, note }),
    );
  }
}

/** Sets what a month of calls doesn't produce: last uses, tests, balances at the providers, states. */
async function fillDerivedState(ctx: Context, channels: readonly ActiveDemoChannel[], end: number): Promise<void> {
  const now = Math.floor(end / 1000);
  await ctx.ledger.transaction(async (trx) => {
    for (const { id, status, slowness, disabledReason } of channels) {
      await trx
        .updateTable('channel')
        .set({
          status,
          disabled_reason: disabledReason ?? '',
          test_time: now - 1_800,
          response_time: status === 'enabled' ? Math.round(640 * slowness) : 0,
          balance_micro_usd: id % 3 === 0 ? null : 38_400_000 * id,
          balance_updated_time: id % 3 === 0 ? 0 : now - 3_600,
        })
        .where('id', '=', id)
        .execute();
    }
    await trx
      .updateTable('user')
      .set({ last_login_time: now - 7_200, last_login_ip: '203.0.113.9' })
      .where('role', '<>', 'root')
      .execute();
    await trx
      .updateTable('api_key')
      .set({ accessed_time: now - 300 })
      .execute();
  });
  await ctx.changes.publish({ topic: 'channels' });
  await saveOptions(ctx, { steppedUp: true }, [{ key: 'StatusPageEnabled', value: 'true' }]);
}
