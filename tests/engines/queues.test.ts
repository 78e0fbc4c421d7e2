/** Due jobs are claimed once under concurrency; a job for one node at a time has a lease. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createLaneTurns } from '../../apps/server/src/db/lane-turns.ts';
import { type Leases, openLeases } from '../../apps/server/src/db/leases.ts';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { claimFirst } from '../../apps/server/src/platform/table-queue.ts';
import { claimDueTasks, type TaskRow } from '../../apps/server/src/tasks/task-store.ts';
import { sql } from '../../apps/server/src/testing/any-table.ts';
import { engines, useTestDatabases } from './engines.ts';

const NOW = 1_800_000_000;

const taskOf = (nth: number, more: Partial<TaskRow> = {}): TaskRow => ({
  id: `task-${nth}`,
  request_id: `request-${nth}`,
  user_id: 1,
  api_key_id: null,
  group_symbol: 'default',
  client_format: 'kling-videos',
  action: 'text2video',
  model: 'kling-v1',
  prompt: '',
  channel_id: 1,
  channel_key_id: '',
  upstream_format: 'kling-videos',
  upstream_id: `upstream-${nth}`,
  origin_id: null,
  upstream_model: 'kling-v1',
  status: 'queued',
  progress: 0,
  request: '{}',
  news: '{}',
  failure: '',
  expected: 0,
  charge: null,
  terms: '{}',
  notify_url: '',
  notify_at: null,
  notify_tries: 0,
  notify_site: '',
  created_at: NOW - 100,
  started_at: null,
  ended_at: null,
  deadline_at: NOW + 10_000,
  next_look_at: NOW - 1,
  failed_looks: 0,
  ...more,
});

describe.each(engines)('on $name', (engine) => {
  const places = useTestDatabases(engine);
  let one: Database;
  let other: Database;
  beforeEach(async () => {
    if (one === undefined) [one, other] = await places.openTwice();
    await one.writer.deleteFrom('task').execute();
  });
  const insert = (tasks: readonly TaskRow[]) => one.writer.insertInto('task').values(tasks).execute();

  test('each due task is claimed once by concurrent nodes', async () => {
    await insert(Array.from({ length: 60 }, (_, nth) => taskOf(nth)));
    const claims = await Promise.all([one, other, one, other].map((db) => claimDueTasks({ db }, NOW, [], 1_000)));
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(60);
    expect(ids).toHaveLength(60);
    expect(await claimDueTasks({ db: one }, NOW, [], 1_000)).toEqual([]);
  });

  test('a claim takes no more than its maximum, the longest due first, and none of a busy channel', async () => {
    await insert([
      taskOf(1, { next_look_at: NOW - 1 }),
      taskOf(2, { next_look_at: NOW - 3 }),
      taskOf(3, { next_look_at: NOW - 2, channel_id: 9 }),
      taskOf(4, { next_look_at: NOW + 1 }),
      taskOf(5, { ended_at: NOW - 5, status: 'succeeded' }),
    ]);
    expect((await claimDueTasks({ db: one }, NOW, [9], 1)).map(({ id }) => id)).toEqual(['task-2']);
    const rest = await claimDueTasks({ db: one }, NOW, [9], 10);
    expect(rest.map(({ id }) => id)).toEqual(['task-1']);
  });

  test.each([
    [0, 15],
    [2, 60],
    [8, 300],
    [200, 300],
  ])('after %d failed polls the next one is due in %d seconds', async (failed_looks, seconds) => {
    await insert([taskOf(1, { failed_looks })]);
    await claimDueTasks({ db: one }, NOW, [], 1);
    const row = await one.writer.selectFrom('task').select('next_look_at').executeTakeFirstOrThrow();
    expect(row.next_look_at).toBe(NOW + seconds);
  });

  test('each call of a client is claimed once by concurrent nodes', async () => {
    await insert(Array.from({ length: 20 }, (_, nth) => taskOf(nth, { notify_at: 1 })));
    const take = ({ writer }: Database) =>
      claimFirst(
        () => writer.selectFrom('task').select('id').where('notify_at', '=', 1).orderBy('id').executeTakeFirst(),
        ({ id }) =>
          writer
            .updateTable('task')
            .set({ notify_at: NOW })
            .where('id', '=', id)
            .where('notify_at', '=', 1)
            .returning('id')
            .executeTakeFirst(),
      );
    const all = async (db: Database): Promise<string[]> => {
      const taken: string[] = [];
      for (let next = await take(db); next !== undefined; next = await take(db)) taken.push(next.id);
      return taken;
    };
    const taken = (await Promise.all([all(one), all(other)])).flat();
    expect(taken.toSorted()).toEqual(Array.from({ length: 20 }, (_, nth) => `task-${nth}`).toSorted());
  });

  test('finds the next user with a due callback in turns, whatever the number of callbacks', async () => {
    const due = (nth: number, user_id: number, notify_at: number | null = NOW - nth) =>
      taskOf(nth, { user_id, notify_at });
    await insert([due(9, 1), due(8, 1), due(7, 1), due(1, 2), due(2, 4), due(3, 3, NOW + 1), due(4, 5, null)]);
    const findNext = createLaneTurns<number>({
      table: 'task',
      lane: 'user_id',
      start: 0,
      due: 'notify_at',
      isWaiting: sql`notify_at is not null`,
    });
    const found: (number | undefined)[] = [];
    for (let turn = 0; turn < 4; turn += 1) found.push(await findNext(one.writer, NOW, []));
    expect(found).toEqual([1, 2, 4, 1]);
    expect(await findNext(one.writer, NOW, [2, 4])).toBe(1);
    expect(await findNext(one.writer, NOW, [1, 2, 4])).toBeUndefined();
  });

  test('a lease belongs to one of several nodes, and always to the only node of SQLite', async () => {
    const leases: readonly Leases[] = [openLeases(one, silentLog), openLeases(other, silentLog)];
    const isShared = engine.kind === 'postgres';
    const names = Array.from({ length: 10 }, (_, nth) => `work:${nth}`);
    const taken = await Promise.all(leases.map((each) => each.acquire(names)));
    expect(leases.map((each) => each.isShared)).toEqual([isShared, isShared]);
    expect(taken.flat()).toHaveLength(isShared ? names.length : 2 * names.length);
    await Promise.all(taken.flat().map((lease) => lease.release()));
    expect(await leases[1]?.acquire(names)).toHaveLength(names.length);
    for (const each of leases) await each.close();
  });
});
