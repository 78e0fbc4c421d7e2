import { createServer, type Socket } from 'node:net';
import type { KyselyPlugin } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { useFeatureApp } from '../testing/start-feature-app.ts';
import { expireOldestArtifacts, removeExpiredArtifacts } from './artifacts.ts';
import { FOLDER_STORE, newStoredArtifact } from './stored-artifact.ts';

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
