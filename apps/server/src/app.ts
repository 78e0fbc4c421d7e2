/** Builds a server that is ready to listen from its configuration and its environment. Every test starts here. */
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import type { GatewayRoute } from './gateway/route-types-and-handlers.ts';
import { buildManagementApi } from './management-api.ts';
import { openContext, type RuntimeEnvironment } from './open-context.ts';
import { startJobs } from './operations/jobs/jobs.ts';
import { createGaugeReader } from './operations/metrics/gauge-reader.ts';
import { nowSeconds, systemTimers } from './platform/clock.ts';
import { createDrain } from './platform/graceful-shutdown.ts';
import { createClientAddress } from './platform/http/client-address.ts';
import {
  type ConnectionLimit,
  type ConnectionLimits,
  defaultConnectionLimits,
  limitConnections,
} from './platform/http/connection-limit.ts';
import type { DeclaredRoute } from './platform/http/declared-routes.ts';
import { createReadiness } from './platform/http/readiness.ts';

export interface App {
  ctx: Context;
  server: Server;
  /** Every route of the listener besides `/healthz` and `/readyz`, with its permission. */
  entryPoints: { routes: readonly DeclaredRoute[]; relay: readonly GatewayRoute[] };
  /** Stops accepting, lets running requests finish, settles, closes. */
  close(): Promise<void>;
  /** Ends the wait of a running close. Requests are still settled. */
  forceClose(): void;
}

export async function buildApp(config: Config, world: RuntimeEnvironment): Promise<App> {
  const opened = await openContext(config, world, async (parts) => {
    if (config.telemetry === undefined) return undefined;
    const { startTelemetry } = await import('./operations/metrics/send-telemetry.ts');
    return startTelemetry({ config: config.telemetry, read: () => readMetrics(), ...parts });
  });
  const { ctx } = opened;
  const clientAddress = createClientAddress(config.trustedProxies);
  const gateway = await createGateway(ctx, clientAddress);
  const readMetrics = createGaugeReader(ctx, gateway.state, opened.databaseClock);
  const management = await buildManagementApi(ctx, clientAddress, gateway, readMetrics);

  const readiness = createReadiness(() => checkWritable(ctx), ctx.clock);
  const stopJobs = startJobs(ctx);

  const server = createHttpServer(gateway, management, readiness, (listening) =>
    limitConnections(listening, connectionLimitsOf(config), (address) => clientAddress.isProxy(address)),
  );
  // The drain uses real time, even if the clock of a test stands still.
  const drain = createDrain(server, config, gateway, systemTimers);

  return {
    ctx,
    server,
    entryPoints: { routes: management.routes, relay: gateway.routes },
    forceClose: () => drain.force(),
    async close() {
      readiness.drain();
      await drain.waitForBalancers();
      // Clients that follow the log would delay the drain.
      ctx.logTail.close();
      gateway.drain();
      await drain.start();
      await stopJobs();
      await management.close();
      await gateway.close();
      await opened.close();
    },
  };
}

/** @throws Error that names the variable to change if the port or the address cannot be used */
export function listen({
  server,
  ctx: { config },
}: Pick<App, 'server'> & { ctx: Pick<Context, 'config'> }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(describeListenError(error, config)));
    server.listen(config.port, config.host, resolve);
  });
}

function describeListenError(error: Error, { port, host }: Config): Error {
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop the other process, or set PORT.`,
    EACCES: `This process may not use port ${port} on ${host}. Set PORT to 1024 or above, or give the process the right to use low ports.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set HOST to one, or to 0.0.0.0 for all.`,
    ENOTFOUND: `The name ${host} cannot be resolved. Set HOST to an address of this machine, or to 0.0.0.0 for all.`,
  };
  const code = 'code' in error ? String(error.code) : '';
  return new Error(messages[code] ?? `The server cannot listen on port ${port} of ${host}: ${error.message}`, {
    cause: error,
  });
}

/** Returns the port that the server listens on. */
export function portOf({ server }: App): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

function createHttpServer(
  gateway: Gateway,
  management: Awaited<ReturnType<typeof buildManagementApi>>,
  readiness: ReturnType<typeof createReadiness>,
  limit: (server: Server) => ConnectionLimit,
): Server {
  const server = createServer(
    {
      requestTimeout: 60_000,
      headersTimeout: 10_000,
      // Interval in which the two timeouts above are checked.
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      shouldUpgradeCallback: (request) => gateway.upgrades(request),
    },
    (request, response) => {
      if (connections.rejectIfOverLimit(request, response)) return;
      // The client must reconnect, so that a balancer sends it to another node.
      if (readiness.isDraining) response.shouldKeepAlive = false;
      if (gateway.serves(request)) gateway.handle(request, response);
      else if (!readiness.handle(request, response)) management.handle(request, response);
    },
  );

  const connections = limit(server);

  server.on('upgrade', (request, socket, head) => {
    // Always true, because this server does not listen on pipes.
    if (socket instanceof Socket && connections.isWithinLimits(socket)) gateway.upgrade(request, socket, head);
    else socket.destroy();
  });
  return server;
}

function connectionLimitsOf({ connectionsMax, connectionsPerAddress }: Config): ConnectionLimits {
  const usual = defaultConnectionLimits();
  return { total: connectionsMax ?? usual.total, perAddress: connectionsPerAddress ?? usual.perAddress };
}

function checkWritable({ ledger, clock }: Context): Promise<unknown> {
  return ledger.transaction((trx) =>
    trx
      .updateTable('readiness')
      .set({ tried_at: nowSeconds(clock) })
      .where('id', '=', 1)
      .execute(),
  );
}
