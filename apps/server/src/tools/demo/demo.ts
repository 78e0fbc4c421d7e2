/**
 * The product with a month of invented use and a provider without a model, in a data folder of its own:
 * `npm run demo`. Delete ./data-demo to begin anew. With `DATABASE_URL`, and `REDIS_URL`, it is three nodes.
 */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { channelId } from '@switchyard/contract/ids';
import { prepareFirstStart } from '../../accounts/set-up/set-up.ts';
import { type App, buildApp, listen, portOf } from '../../app.ts';
import { updateChannel } from '../../channels/registry/registry.ts';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import type { Context } from '../../context.ts';
import { createLog, standardOutput } from '../../platform/log.ts';
import { createLogTail } from '../../platform/log-tail.ts';
import { createTravelClock, DEMO_KEY, fillDemo } from './fill.ts';
import { type MoreNodes, startMoreNodes } from './more-nodes.ts';
import { type SimulatedProvider, startSimulatedProvider } from './simulated-provider.ts';

const FOLDER = './data-demo';
const USERNAME = 'demo';

/** The usual configuration, but never on real data. */
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
  const clock = createTravelClock();
  const provider = await startSimulatedProvider();
  const logTail = createLogTail();
  const log = createLog(config.logLevel, standardOutput(), logTail);
  const app = await buildApp(config, { log, logTail, clock });
  await prepareFirstStart(app.ctx);
  const isNew = await isEmpty(app.ctx);
  if (isNew) {
    console.log('\n  Generating a month of usage …');
    await fillDemo(app.ctx, clock, provider.url);
  } else {
    await moveChannels(app.ctx, provider.url);
  }
  await listen(app);
  const more =
    config.databaseUrl === undefined ? undefined : await startMoreNodes(config, portOf(app), { log });
  printSignIn(app, config, isNew ? password : undefined, more);
  stopOnSignals([app, provider, ...(more === undefined ? [] : [more])]);
}

async function isEmpty(ctx: Context): Promise<boolean> {
  const channel = await ctx.db.writer.selectFrom('channel').select('id').limit(1).executeTakeFirst();
  return channel === undefined;
}

/** The simulated provider has another port in each process. */
async function moveChannels(ctx: Context, url: string): Promise<void> {
  const channels = await ctx.db.writer
    .selectFrom('channel')
    .select(['id', 'base_url'])
    .where('deleted_time', 'is', null)
    .execute();
  for (const { id, base_url } of channels) {
    if (!base_url.startsWith('http://127.0.0.1:')) continue;
    const { pathname } = new URL(base_url);
    await updateChannel(ctx, {
      id: channelId.parse(id),
      base_url: url + pathname.replace(/\/$/, ''),
      key: DEMO_KEY,
    });
  }
}

function printSignIn(
  app: App,
  config: Config,
  password: string | undefined,
  more: MoreNodes | undefined,
): void {
  const ports = [portOf(app), ...(more?.ports ?? [])];
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

start().catch((error: unknown) => {
  const message = error instanceof ConfigError ? `The environment is not valid:\n${error.message}` : error;
  console.error(message instanceof Error ? `The demonstration could not start: ${message.message}` : message);
  process.exit(1);
});
