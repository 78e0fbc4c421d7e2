/**
 * Demonstration with a month of simulated use and a simulated provider, in a separate data folder: `npm run demo`.
 * Delete ./data-demo to start over. With `DATABASE_URL`, and optionally `REDIS_URL`, it has three nodes.
 */

import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { channelId } from '@switchyard/contract/ids';
import { prepareFirstStart } from '../../accounts/set-up/set-up.ts';
import { type App, buildApp, listen, portOf } from '../../app.ts';
import { updateChannel } from '../../channels/registry/registry.ts';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import type { Context } from '../../context.ts';
import type { RuntimeEnvironment } from '../../open-context.ts';
import { createLog, createStdoutDestination } from '../../platform/log.ts';
import { createLogTail } from '../../platform/log-tail.ts';
import { loadMasterKey } from '../../platform/secrets/master-key.ts';
import { createSettableClock, DEMO_KEY, fillDemo } from './fill-demo.ts';
import { type SimulatedProvider, startSimulatedProvider } from './simulated-provider.ts';

const FOLDER = './data-demo';
const USERNAME = 'demo';

/** Returns the usual configuration, but never for real data. */
function demoConfig(password: string): Config {
  const config = readConfig();
  const { databaseUrl } = config;
  if (databaseUrl !== undefined && !new URL(databaseUrl).pathname.includes('demo'))
    throw new ConfigError(
      'DATABASE_URL: the demonstration uses only a database with "demo" in its name, such as switchyard_demo',
    );
  return {
    ...config,
    dataDir: resolve(FOLDER),
    masterKey: undefined,
    root: { username: USERNAME, password },
    logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel,
    outboundAllow: [...config.outboundAllow, '127.0.0.1'],
  };
}

async function start(): Promise<void> {
  const password = randomBytes(9).toString('base64url');
  const config = demoConfig(password);
  const clock = createSettableClock();
  const provider = await startSimulatedProvider();
  const logTail = createLogTail();
  const log = createLog(config.logLevel, createStdoutDestination(), logTail);
  const app = await buildApp(config, { log, logTail, clock });
  await prepareFirstStart(app.ctx);
  const isNew = await isEmpty(app.ctx);
  if (isNew) {
    console.log('\n  Generating a month of usage …');
    await fillDemo(app.ctx, clock, provider.url);
  } else {
    await updateChannelUrls(app.ctx, provider.url);
  }
  await listen(app);
  const moreNodes = config.databaseUrl === undefined ? undefined : await startMoreNodes(config, portOf(app), { log });
  printSignIn(app, config, isNew ? password : undefined, moreNodes);
  stopOnSignals([app, provider, ...(moreNodes === undefined ? [] : [moreNodes])]);
}

async function isEmpty(ctx: Context): Promise<boolean> {
  const channel = await ctx.db.writer.selectFrom('channel').select('id').limit(1).executeTakeFirst();
  return channel === undefined;
}

/** Updates the address of the simulated provider, whose port differs in each process. */
async function updateChannelUrls(ctx: Context, url: string): Promise<void> {
  const channels = await ctx.db.writer
    .selectFrom('channel')
    .select(['id', 'base_url'])
    .where('deleted_time', 'is', null)
    .execute();
  for (const { id, base_url } of channels) {
    if (!base_url.startsWith('http://127.0.0.1:')) continue;
    const { pathname } = new URL(base_url);
    await updateChannel(ctx, { id: channelId.parse(id), base_url: url + pathname.replace(/\/$/, ''), key: DEMO_KEY });
  }
}

function printSignIn(app: App, config: Config, password: string | undefined, moreNodes: MoreNodes | undefined): void {
  const ports = [portOf(app), ...(moreNodes?.ports ?? [])];
  const places = ports.map((port) => `http://${config.host}:${port}`);
  console.log(`\n  The demonstration is at ${places.join(', ')}`);
  console.log(
    password === undefined
      ? `  Sign in as ${USERNAME} with the password that the first start printed, or delete ${FOLDER} to start over.\n`
      : `  Sign in as ${USERNAME} with the password ${password} (shown only now).\n`,
  );
}

function stopOnSignals(parts: readonly Pick<App | SimulatedProvider | MoreNodes, 'close'>[]): void {
  const stop = (): void => {
    Promise.all(parts.map((part) => part.close())).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/** Starts the demonstration. A failure ends the process with a sentence. */
export async function startDemo(): Promise<void> {
  try {
    await start();
  } catch (error) {
    const message = error instanceof ConfigError ? `The environment is not valid:\n${error.message}` : error;
    console.error(message instanceof Error ? `The demonstration could not start: ${message.message}` : message);
    process.exit(1);
  }
}

/** Further nodes of the demonstration on the following ports, each with a separate data folder. */
interface MoreNodes {
  ports: readonly number[];
  close(): Promise<void>;
}

const MORE = 2;

/** @param port of the first node, which has created the tables and the master key */
async function startMoreNodes(config: Config, port: number, world: RuntimeEnvironment): Promise<MoreNodes> {
  const masterKey = loadMasterKey(config).toString('base64');
  const ports = Array.from({ length: MORE }, (_, nth) => port + 1 + nth);
  const apps = await Promise.all(
    ports.map(async (own): Promise<App> => {
      const dataDir = join(config.dataDir, `node-${own}`);
      const app = await buildApp({ ...config, port: own, dataDir, masterKey }, world);
      await listen(app);
      return app;
    }),
  );
  return {
    ports,
    async close() {
      await Promise.all(apps.map((app) => app.close()));
    },
  };
}
