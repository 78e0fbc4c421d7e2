/** Reads the configuration, builds the app, listens, and stops on signals. */
import { prepareFirstStart } from './accounts/set-up/set-up.ts';
import { type App, buildApp, listen, portOf } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { reportTimerErrors, systemTimers } from './platform/clock.ts';
import { exitProcess } from './platform/exit-with-sqlite-threads.ts';
import { createLog, createStdoutDestination } from './platform/log.ts';
import { createLogTail } from './platform/log-tail.ts';
import { forbidGlobalFetch } from './platform/outbound/outbound-fetch.ts';

/** Starts the server. A failure ends the process with a sentence. */
export async function startServer(): Promise<void> {
  try {
    await start();
  } catch (error) {
    const message = error instanceof ConfigError ? `The environment is not valid:\n${error.message}` : error;
    console.error(message instanceof Error ? `Switchyard could not start: ${message.message}` : message);
    process.exit(1);
  }
}

async function start(): Promise<void> {
  forbidGlobalFetch();
  const config = readConfig();
  const logTail = createLogTail();
  const log = createLog(config.logLevel, createStdoutDestination(), logTail);
  reportTimerErrors((err) => log.error({ err }, 'a timer failed'));
  const app = await buildApp(config, { log, logTail });
  const invitation = await prepareFirstStart(app.ctx);
  await listen(app);
  const address =
    config.publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${portOf(app)}`;
  log.info({ address }, 'listening');
  console.log(`\n  Switchyard is running at ${address}`);
  if (invitation !== undefined) {
    console.log(
      `\n  First start: open this link to create the root account. It works once.\n\n  ${address}/setup#${invitation}\n`,
    );
  }
  stopOnSignals(app);
}

/**
 * Seconds that the stop may take after the drain. The remaining work takes milliseconds; a stop that hangs must not
 * delay its successor.
 */
const STOP_GRACE_SECONDS = 4;

/** Drains on the first signal. The second ends the wait, but requests are still settled. */
function stopOnSignals(app: App): void {
  let stopping = false;
  const stop = (reason: string, code: number): void => {
    if (stopping) return app.forceClose();
    stopping = true;
    app.ctx.log.info({ reason }, 'stopping');
    const { delaySeconds, drainSeconds } = app.ctx.config;
    const exit = (exitCode: number): void => void exitProcess(systemTimers, app.ctx.log, exitCode);
    app.ctx.clock
      .after((delaySeconds + drainSeconds + STOP_GRACE_SECONDS) * 1000, () => {
        app.ctx.log.error('the shutdown took too long');
        exit(1);
      })
      .unref();
    app.close().then(
      () => exit(code),
      (error: unknown) => {
        app.ctx.log.error({ err: error }, 'the shutdown failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM', 0));
  process.on('SIGINT', () => stop('SIGINT', 0));
  for (const trouble of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(trouble, (error: unknown) => {
      app.ctx.log.error({ err: error }, `${trouble}: shutting down because the state of the process is unreliable`);
      if (!stopping) stop(trouble, 1);
    });
}
