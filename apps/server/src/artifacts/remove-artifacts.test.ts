import { createServer, type Socket } from 'node:net';
import type { KyselyPlugin } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { useFeatureApp } from '../testing/start-feature-app.ts';
import { FOLDER_STORE, newStoredArtifact } from './artifact-rows-and-writing.ts';
import { expireOldestArtifacts, removeExpiredArtifacts } from './artifacts.ts';

const app = await useFeatureApp([]);
const { ctx } = app;
const user = await app.createUser('user');
afterEach(() => ctx.db.writer.deleteFrom('stored_work').execute());

/** Starts a bucket that never responds, and returns the address of its objects. */
async function startSilentBucket(connected: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('data', () => connected(socket));
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${port}/results/`;
}

async function storeExpired(store: string, count: number): Promise<void> {
  await ctx.db.writer
    .insertInto('stored_work')
    .values(
      Array.from({ length: count }, (_, nth) => ({
        ...newStoredArtifact(ctx, { task_id: null, user_id: user.id, nth, store }, 'test'),
        state: 'kept' as const,
        expires_at: 1,
      })),
    )
    .execute();
}

test('a bucket that does not respond is asked once, and delays no other removal', async () => {
  let requests = 0;
  const bucket = await startSilentBucket((socket) => {
    requests += 1;
    socket.destroy();
  });
  await storeExpired(bucket, 20);
  await storeExpired(FOLDER_STORE, 5);
  await expect(removeExpiredArtifacts(ctx)).rejects.toThrow('1 artifacts could not be removed');
  expect(requests).toBe(1);
  const left = await ctx.db.writer.selectFrom('stored_work').select('store').where('state', '=', 'kept').execute();
  expect(left.map(({ store }) => store)).toEqual(Array.from({ length: 20 }, () => bucket));
});

test('a shutdown ends the removal, also one that waits for a bucket', async () => {
  const stopping = new AbortController();
  const bucket = await startSilentBucket(() => stopping.abort(new Error('the server stops')));
  await storeExpired(bucket, 2);
  await expect(removeExpiredArtifacts(ctx, stopping.signal)).rejects.toThrow('the server stops');
});

const GIGABYTE = 1_073_741_824;

test('concurrent runs expire only what exceeds the limit of the folder', async () => {
  await ctx.db.writer
    .insertInto('stored_work')
    .values(
      Array.from({ length: 6 }, (_, nth) => ({
        ...newStoredArtifact(ctx, { task_id: null, user_id: user.id, nth, store: FOLDER_STORE }, 'test'),
        state: 'kept' as const,
        bytes: GIGABYTE,
        created_at: nth,
      })),
    )
    .execute();
  const first = Promise.withResolvers<void>();
  const later: Promise<void>[] = [];
  let sums = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!('owner' in (result.rows[0] ?? {}))) return result;
      sums += 1;
      // Others begin once the first run has read the users' sums; they use theirs after it has ended.
      if (sums === 1) later.push(expireOldestArtifacts(limited), expireOldestArtifacts(limited));
      else await first.promise;
      return result;
    },
  };
  const limited = {
    ...ctx,
    settings: { ...ctx.settings, resultTotalGigabytes: 3 },
    db: { ...ctx.db, reader: ctx.db.reader.withPlugin(plugin) },
  };
  await expireOldestArtifacts(limited).finally(() => first.resolve());
  await Promise.all(later);
  const left = await ctx.db.writer.selectFrom('stored_work').select('nth').where('state', '=', 'kept').execute();
  expect(left.map(({ nth }) => nth).toSorted((a, b) => a - b)).toEqual([3, 4, 5]);
});

test('the removal reads many artifacts in pages, and none on the connection that writes', async () => {
  const others = [await app.createUser('user'), await app.createUser('user')];
  const [gone] = others;
  await ctx.db.writer
    .updateTable('user')
    .set({ deleted_time: 1 })
    .where('id', '=', gone?.id ?? 0)
    .execute();
  const owners = [user, ...others];
  const rows = Array.from({ length: 1_290 }, (_, nth) => ({
    ...newStoredArtifact(ctx, { task_id: null, user_id: owners[nth % 3]?.id ?? 0, nth, store: FOLDER_STORE }, 'test'),
    state: 'kept' as const,
    bytes: nth % 3 === 0 ? 10_500_000 : 1,
    created_at: nth,
    expires_at: nth % 10 === 9 ? 1 : null,
  }));
  for (let at = 0; at < rows.length; at += 200)
    await ctx.db.writer
      .insertInto('stored_work')
      .values(rows.slice(at, at + 200))
      .execute();
  const pages: number[] = [];
  let ownReads = 0;
  const countRows: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      pages.push(result.rows.length);
      return result;
    },
  };
  const countReads: KyselyPlugin = {
    transformQuery({ node }) {
      ownReads += Number(node.kind === 'SelectQueryNode');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const settings = { ...ctx.settings, resultTotalGigabytes: 4 };
  const db = { ...ctx.db, reader: ctx.db.reader.withPlugin(countRows), writer: ctx.db.writer.withPlugin(countReads) };
  await removeExpiredArtifacts({ ...ctx, settings, db });
  expect(Math.max(...pages)).toBeLessThanOrEqual(500);
  expect(ownReads).toBe(0);
  const left = await ctx.db.writer.selectFrom('stored_work').select('nth').where('state', '=', 'kept').execute();
  const kept = rows.filter(({ user_id, expires_at }) => user_id !== gone?.id && expires_at === null);
  // The first user has 430 artifacts of 10.5 MB, of which the 21 oldest exceed 4 GB.
  const isOver = ({ user_id, created_at }: (typeof rows)[number]) => user_id === user.id && created_at < 21 * 3;
  expect(left.map(({ nth }) => nth).toSorted((a, b) => a - b)).toEqual(
    kept.filter((row) => !isOver(row)).map(({ nth }) => nth),
  );
});
