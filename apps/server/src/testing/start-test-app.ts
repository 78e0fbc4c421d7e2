/** The real server on a free port with a data folder of its own. Only the clock, the log and the load are ours. */
import { argon2Sync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '@switchyard/contract/codes';
import type { UserId } from '@switchyard/contract/ids';
import { listen } from '../../../../tests/listen.ts';
import { databaseFor } from '../../../../tests/test-database.ts';
import { type App, buildApp } from '../build-app.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { prepareFirstStart } from '../features/set-up/set-up.ts';
import { createAccount } from '../features/users/users.ts';
import type { Clock } from '../platform/clock.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { createLogTail, type LogTail } from '../platform/log-tail.ts';
import { createTestClock, type TestClock } from './test-clock.ts';
import { signIn, type Visitor, visitor } from './visitor.ts';

export interface TestApp {
  app: App;
  ctx: Context;
  /** Without a trailing slash. */
  url: string;
  clock: TestClock;
  /** What the server believes to be its load. */
  strain: { delayMs: number; memoryShare: number };
  /** The set-up link's code, as long as there is no root account. */
  setUpCode: string | undefined;
  /** Nobody: no cookie, no token. */
  anyone: Visitor;
  /**
   * Makes an account of this role and signs it in. Its balance is 0 unless `quota` says otherwise.
   * @param options whose `isHashedFully` is for tests of the work that a password takes: else it takes next to none
   */
  createUser(
    role: Role,
    options?: { username?: string; group?: string; quota?: number; isHashedFully?: boolean },
  ): Promise<SignedIn>;
  close(): Promise<void>;
}

export interface SignedIn extends Visitor {
  id: UserId;
  username: string;
  password: string;
}

export interface TestAppOptions {
  config?: Partial<Config>;
  /** Milliseconds; the clock stands still until it is moved. Absent: the real time. */
  now?: number;
  /** What the machine's clock says, where the app is to go by the database's if it can; `now` is nothing then. */
  machineClock?: Clock;
  log?: Log;
  logTail?: LogTail;
  /** Kept after the end when given, for tests that start again on the same data. */
  dataDir?: string;
  redisDeadlineMs?: number;
  /** Origins of vendors → the origins of those who play them. */
  standIns?: Readonly<Record<string, string>>;
}

/** Starts the server. Whoever starts it closes it. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'switchyard-'));
  const clock = createTestClock(options.now);
  const strain = { delayMs: 0, memoryShare: 0 };
  const databaseUrl = await databaseFor(dataDir);
  const app = await buildApp(testConfig(dataDir, { databaseUrl, ...options.config }), {
    ...(options.machineClock === undefined ? { clock } : { machineClock: options.machineClock }),
    log: options.log ?? silentLog,
    logTail: options.logTail ?? createLogTail(),
    standIns: options.standIns ?? {},
    // A busy machine is no Redis that is away.
    redisDeadlineMs: options.redisDeadlineMs ?? 2_000,
    readings: {
      delayMs: () => strain.delayMs,
      memoryShare: () => strain.memoryShare,
      delays: () => ({ p50: strain.delayMs, p99: strain.delayMs }),
      close: () => {},
    },
  });
  const setUpCode = await prepareFirstStart(app.ctx);
  const url = `http://127.0.0.1:${await listen(app.server)}`;
  let accounts = 0;

  return {
    app,
    ctx: app.ctx,
    url,
    clock,
    strain,
    setUpCode,
    anyone: visitor(url, {}),
    async createUser(role, { username, group = 'default', quota = 0, isHashedFully = false } = {}) {
      accounts += 1;
      const name = username ?? `${role}-${accounts}`;
      const password = `password of ${name}`;
      const id = isHashedFully
        ? await createAccount(app.ctx, { username: name, password, role, group })
        : await createAccount(app.ctx, { username: name, role, group }, async (trx, userId) => {
            const password_hash = hashCheaply(password);
            await trx.updateTable('user').set({ password_hash }).where('id', '=', userId).execute();
          });
      if (quota !== 0) await giveQuota(app.ctx, id, quota);
      return { id, username: name, password, ...visitor(url, await signIn(url, name, password)) };
    },
    async close() {
      await app.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** As `hashPassword` writes it, by the least work that Argon2 knows. */
function hashCheaply(password: string): string {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const hash = argon2Sync('argon2id', { message: Buffer.from(password), nonce, ...cost });
  const [salt, tag] = [nonce, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${salt}$${tag}`;
}

function testConfig(dataDir: string, changes: Partial<Config> = {}): Config {
  return {
    port: 0,
    host: '127.0.0.1',
    dataDir,
    databaseUrl: undefined,
    replica: undefined,
    redisUrl: undefined,
    clickhouse: undefined,
    masterKey: undefined,
    masterKeyOld: undefined,
    root: undefined,
    logLevel: 'error',
    publicUrl: undefined,
    trustedProxies: [],
    outboundAllow: ['127.0.0.1'],
    plainHttpStaff: false,
    relayBodyMaxBytes: 33_554_432,
    relayBodiesMaxBytes: 268_435_456,
    drainSeconds: 0,
    delaySeconds: 0,
    metricsReaders: [],
    telemetry: undefined,
    backupPassphrase: undefined,
    backupBeforeUpgrade: true,
    // Nothing answers there.
    turnstileUrl: 'http://127.0.0.1:9/siteverify',
    ...changes,
  };
}

async function giveQuota(ctx: Context, userId: number, amount: number): Promise<void> {
  await ctx.ledger.transaction((_trx, moves) =>
    moves.move({ kind: 'top-up', ref: `test:${userId}`, userId, amount, note: '' }),
  );
}
