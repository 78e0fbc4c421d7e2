/** Server that runs batches for all tests of a file. Each test has a new user and key. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Selectable } from 'kysely';
import type { Config } from '../config.ts';
import type { UsageRecordTable } from '../ledger/table.ts';
import { sleep, systemTimers } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { type BatchClient, createBatchClient } from './batch-client.ts';
import { type RelayScene, startRelayScene } from './relay-scene.ts';
import type { SignedInUser } from './start-test-app.ts';

export interface BatchUser extends BatchClient {
  user: SignedInUser;
  key: string;
  /** Returns the usage records of this user, oldest first. */
  records(): Promise<Selectable<UsageRecordTable>[]>;
  balance(): Promise<number>;
}

export interface BatchScene extends RelayScene {
  dataDir: string;
  /** Folder with the files of batches. */
  folder: string;
  /** Warnings and errors that the server has logged. */
  log: string[];
  newUser(): Promise<BatchUser>;
  /** Returns a client that uses this key. */
  createClient(key: string): BatchClient;
  /** Advances the clock by one second, and lets due work begin. */
  step(): Promise<void>;
  /** Advances the clock second by second until `check` passes. @returns the result of `check` */
  eventually<T>(check: () => T | Promise<T>): Promise<T>;
  /** Waits until no batch is running, and removes all batches. */
  removeBatches(): Promise<void>;
}

/** Interval of checks in milliseconds. */
const CHECK_MS = 10;
const CHECKS_MAX = 2_000;

export async function startBatchScene(config: Partial<Config> = {}): Promise<BatchScene> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-batches-'));
  const folder = join(dataDir, 'batch-files');
  mkdirSync(folder);
  const log: string[] = [];
  const scene = await startRelayScene({
    dataDir,
    config: { drainSeconds: 5, ...config },
    log: createLog('warn', { write: (line) => void log.push(line) }),
  });
  const step = async (): Promise<void> => {
    scene.clock.advance(1);
    await sleep(systemTimers, CHECK_MS);
  };
  const clientOf = (key: string): BatchClient => createBatchClient(scene.url, key, step);
  return {
    ...scene,
    dataDir,
    folder,
    log,
    createClient: clientOf,
    step,
    async newUser() {
      const user = await scene.createUser('user', { quota: 100_000_000 });
      const key = await scene.newKey({ unlimited_quota: true }, user);
      return {
        ...clientOf(key),
        user,
        key,
        records: async () => (await scene.records()).filter(({ user_id }) => user_id === user.id),
        async balance() {
          const row = await scene.ctx.db.writer
            .selectFrom('user_account')
            .select('balance')
            .where('user_id', '=', user.id)
            .executeTakeFirstOrThrow();
          return row.balance;
        },
      };
    },
    async eventually(check) {
      for (let looks = 1; ; looks += 1) {
        try {
          return await check();
        } catch (error) {
          if (looks === CHECKS_MAX) throw error;
        }
        await step();
      }
    },
    async removeBatches() {
      const { writer } = scene.ctx.db;
      const open = writer.selectFrom('batch').select('id').where('ended_at', 'is', null);
      while ((await open.execute()).length > 0) await step();
      await scene.waitUntilSettled();
      for (const table of ['batch_line', 'batch', 'batch_file'] as const) await writer.deleteFrom(table).execute();
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
    },
    async close() {
      await scene.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
