/** The real product as a separate process with its own data folder, set up through its management API. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vi } from 'vitest';
import { unlimitedConcurrency } from '../../apps/server/src/testing/relay-scene.ts';
import { createMigratedFolder } from '../../apps/server/src/testing/test-config.ts';
import { createVisitor, signIn, type Visitor } from '../../apps/server/src/testing/visitor.ts';
import { apiKeys, createApiKey } from '../../packages/contract/src/accounts/api-keys.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { users } from '../../packages/contract/src/accounts/users.ts';
import { RATE_OF_USD_PER_MILLION } from '../../packages/contract/src/catalog/price-rates.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { toPoints } from '../../packages/contract/src/money.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { systemInfo } from '../../packages/contract/src/operations/system-info.ts';
import { findDatabase } from '../test-database.ts';
import { removeRateLimits } from './remove-rate-limits.ts';

const CLI = join(import.meta.dirname, '../../apps/server/src/cli.ts');
const MAIN = join(import.meta.dirname, '../../apps/server/src/main.ts');
const COMPILE_CACHE = pathToFileURL(join(import.meta.dirname, '../../apps/server/compile-cache.js')).href;
/** Node parameters that halve the start of a process with the product's modules. */
export const compileCacheFlags = ['--import', COMPILE_CACHE];
const START_TIMEOUT_MS = 60_000;
const PLENTY_OF_POINTS = 1_000_000_000_000;

export interface ProductProcess {
  url: string;
  port: number;
  process: ChildProcess;
  /** UTC seconds at which it began to listen. */
  startedAt: number;
  /** One-time link to the set-up page, if no root account exists yet. */
  setUpLink: string | undefined;
  /** Exit code, once the process has exited. */
  exit: Promise<number | null>;
  /** Waits until the process has exited. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface ProductFolder {
  dataDir: string;
  root: { username: string; password: string };
}

/** Returns a folder with a migrated database; the first start creates the root account. */
export function createProductFolder(dataDir: string): ProductFolder {
  return { dataDir: createMigratedFolder(dataDir), root: createRootCredentials() };
}

export function createRootCredentials(): ProductFolder['root'] {
  return { username: 'root', password: randomBytes(12).toString('hex') };
}

/** Returns the Node parameters that run `switchyard` with the given arguments. */
export function buildCliArguments(parameters: readonly string[]): string[] {
  return [...compileCacheFlags, CLI, ...parameters];
}

const TICKS_PER_SECOND = 100;

/** Returns the CPU time that a running process has used, in seconds; Linux only. */
export function readCpuSeconds({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in brackets, may contain spaces.
  const [, , , , , , , , , , , user, system] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/**
 * Starts the product, with the flags of `npm start` unless `command` differs, and waits until it listens on a free
 * port.
 */
export async function startProduct(
  { dataDir, root }: ProductFolder | { dataDir: string; root?: undefined },
  {
    drainSeconds = 1,
    flags = ['--max-semi-space-size=64'],
    command = [process.execPath, ...flags, ...compileCacheFlags, MAIN],
    cwd = process.cwd(),
    variables = {},
  }: {
    drainSeconds?: number;
    flags?: string[];
    command?: string[];
    cwd?: string;
    variables?: Readonly<Record<string, string>>;
  } = {},
): Promise<ProductProcess> {
  const [program = '', ...parameters] = command;
  const databaseUrl = await findDatabase(dataDir);
  const child = spawn(program, parameters, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
    env: {
      PATH: process.env['PATH'],
      // The value that `switchyard.js` and the image set.
      MALLOC_MMAP_THRESHOLD_: '131072',
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      ...(root === undefined ? {} : { ROOT_USERNAME: root.username, ROOT_PASSWORD: root.password }),
      OUTBOUND_ALLOW: '127.0.0.1',
      LOG_LEVEL: 'error',
      DRAIN_SECONDS: String(drainSeconds),
      ...variables,
    },
  });
  const exit = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const { port, setUpLink } = await waitUntilListening(child, root === undefined);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    process: child,
    startedAt: Math.floor(Date.now() / 1000),
    setUpLink,
    exit,
    async stop(signal) {
      child.kill(signal);
      await exit;
    },
  };
}

/** @param expectsLink whether to wait for the set-up link as well, which is printed last */
function waitUntilListening(
  child: ChildProcess,
  expectsLink: boolean,
): Promise<{ port: number; setUpLink: string | undefined }> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The product did not start in time:\n${output}`));
    }, START_TIMEOUT_MS);
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-10_000);
      const port = / is running at http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      const setUpLink = /(http:\S+\/setup#\S+)/.exec(output)?.[1];
      if (port === undefined || (expectsLink && setUpLink === undefined)) return;
      clearTimeout(timer);
      resolve({ port: Number(port), setUpLink });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The product ended with ${code}:\n${output}`));
    });
  });
}

/** Waits until the start's jobs have run, so that they are not measured. */
export async function waitForStartJobs(
  { url, startedAt }: Pick<ProductProcess, 'url' | 'startedAt'>,
  { root }: Pick<ProductFolder, 'root'>,
): Promise<void> {
  const api = createVisitor(url, await signIn(url, root.username, root.password)).api(systemInfo);
  await vi.waitUntil(
    async () => {
      const jobs = await api.jobs();
      // An older run belongs to the previous process.
      const haveBegun = jobs.some(({ last }) => last !== null && last.started_at > startedAt);
      return haveBegun && jobs.every(({ running }) => !running);
    },
    { timeout: START_TIMEOUT_MS, interval: 100 },
  );
}

export interface ProductSetUp {
  root: Visitor;
  /** Text of a key without limits. */
  key: string;
}

/**
 * Creates a rich root account, a key without limits, and a channel to an upstream that speaks OpenAI's dialects.
 * @param models names or patterns that the channel serves, all at one US dollar for a million tokens
 */
export async function setUpProduct(
  product: Pick<ProductProcess, 'url'>,
  folder: Pick<ProductFolder, 'root'>,
  upstreamUrl: string,
  models: readonly string[],
): Promise<ProductSetUp> {
  const root = createVisitor(product.url, await signIn(product.url, folder.root.username, folder.root.password));
  const { id, group: symbol } = await root.api(profile).get();
  await root.api(users).changeQuota({ params: { id }, body: { quota: toPoints(PLENTY_OF_POINTS), remark: 'set-up' } });
  await removeRateLimits(root);
  await root.api(settings).updateMany({ body: unlimitedConcurrency });
  for (const model of models) {
    const rates = { input: RATE_OF_USD_PER_MILLION, output: RATE_OF_USD_PER_MILLION };
    await root.api(prices).create({ body: savePrice.parse({ model, rates }) });
  }
  await root
    .api(channels)
    .create({
      body: createChannel.parse({
        name: 'upstream',
        type: CUSTOM_CHANNEL,
        base_url: upstreamUrl,
        key: 'upstream-key',
        models: [...models],
        group: [symbol],
      }),
    });
  const { key } = await root.api(apiKeys).create({ body: createApiKey.parse({ name: 'load', unlimited_quota: true }) });
  return { root, key };
}

/** Channel type of any server that speaks OpenAI's dialects. */
const CUSTOM_CHANNEL = 8;
