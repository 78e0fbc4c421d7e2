/** Leases of work that failed to begin, or whose end failed, are free again for the next attempt. */
import { expect, test } from 'vitest';
import type { Context } from '../../context.ts';
import type { Lease } from '../../db/leases.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { startArtifactStorage } from '../../tasks/store-task-artifacts.ts';
import { insertLocalTask } from '../../tasks/tasks.ts';
import { startFeatureApp } from '../../testing/start-feature-app.ts';
import { failInterrupted } from './background-responses-across-nodes.ts';

type Write = 'updateTable' | 'transaction';

/** Context of a node among others, whose first `write` fails. @returns also the names of the leases that it holds */
async function startNode(write: Write): Promise<{ ctx: Context; userId: number; held: ReadonlyMap<string, Lease> }> {
  const app = await startFeatureApp([]);
  const { ctx } = app;
  const { id: userId } = await app.createUser('user');
  const held = new Map<string, Lease>();
  const hold = (name: string): Lease => {
    const lease: Lease = {
      name,
      lost: new AbortController().signal,
      isHeld: () => held.get(name) === lease,
      release: async () => void held.delete(name),
    };
    held.set(name, lease);
    return lease;
  };
  let hasFailed = false;
  const writer = new Proxy(ctx.db.writer, {
    get(target, property) {
      if (property === write && !hasFailed) {
        hasFailed = true;
        throw new Error('Connection terminated unexpectedly');
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const acquire = async (names: readonly string[]) => names.filter((name) => !held.has(name)).map(hold);
  return {
    ctx: { ...ctx, db: { ...ctx.db, writer }, leases: { ...ctx.leases, isShared: true, acquire } },
    userId,
    held,
  };
}

test('an artifact is fetched although the first claim of its queue failed', async () => {
  const { ctx, held } = await startNode('updateTable');
  const now = nowSeconds(ctx.clock);
  const artifact = { task_id: 't', user_id: null, nth: 0, lane: 'channel 1 0', store: 'folder', media_type: '' };
  await ctx.db.writer
    .insertInto('stored_work')
    .values({
      ...artifact,
      id: 'w',
      state: 'waiting',
      bytes: 0,
      tries: 0,
      next_try_at: now,
      created_at: now,
      expires_at: null,
    })
    .execute();
  const stop = startArtifactStorage(ctx, () => Promise.reject(new Error('no account')));
  const findTries = ctx.db.writer.selectFrom('stored_work').select('tries');
  await expect.poll(async () => (await findTries.executeTakeFirst())?.tries).toBeGreaterThan(0);
  await expect.poll(() => held.size).toBe(0);
  await stop();
});

test('interrupted responses end although the end of one failed at first', async () => {
  const { ctx, userId, held } = await startNode('transaction');
  const response = { user_id: userId, api_key_id: null, group_symbol: '', action: 'response', model: 'm', prompt: '' };
  for (const id of ['resp_a', 'resp_b', 'resp_c'])
    await insertLocalTask(ctx, { ...response, id, request_id: id, client_format: 'openai-responses' });
  const sweep = () => failInterrupted(ctx, () => [{ kind: 'text', text: '' }]);
  const countFailed = async () => {
    const tasks = await ctx.db.writer.selectFrom('task').select('status').execute();
    return tasks.filter(({ status }) => status === 'failed').length;
  };
  await sweep();
  expect([await countFailed(), held.size]).toEqual([2, 0]);
  await sweep();
  expect(await countFailed()).toBe(3);
});

test.each([
  ['ends at once on a single node', false, { status: 'failed', charge: 1 }],
  ['stays open while another node may store it', true, { status: 'queued', charge: null }],
])('an interrupted response that was just charged %s', async (_what, isShared, task) => {
  const app = await startFeatureApp([]);
  const { ctx } = app;
  const { id: user_id } = await app.createUser('user');
  const response = { user_id, api_key_id: null, group_symbol: '', action: 'response', model: 'm', prompt: '' };
  await insertLocalTask(ctx, { ...response, id: 'resp_a', request_id: 'r', client_format: 'openai-responses' });
  const amounts = { user_amount: -1, key_amount: 0, note: '' };
  await ctx.db.writer
    .insertInto('ledger_entry')
    .values({ kind: 'charge', ref: 'r', created_at: nowSeconds(ctx.clock), user_id, api_key_id: null, ...amounts })
    .execute();
  await failInterrupted({ ...ctx, leases: { ...ctx.leases, isShared } }, () => [{ kind: 'text', text: '' }]);
  expect(await ctx.db.writer.selectFrom('task').select(['status', 'charge']).execute()).toEqual([task]);
});
