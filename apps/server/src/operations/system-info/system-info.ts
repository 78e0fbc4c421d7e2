/** State of this server. */
import { hostname } from 'node:os';
import type { SystemState } from '@switchyard/contract/operations/system-info';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { version } from '../../platform/version.ts';
import { listCertificates } from './certificates.ts';
import { newestVersion } from './new-version.ts';
import { readDatabase } from './read-database.ts';

export { checkCertificates, endingCertificates } from './certificates.ts';
export { checkVersion, newestVersion } from './new-version.ts';

/** @param running relayed requests that have a place, as the gateway counts them */
export async function readSystem(ctx: Context, running: number): Promise<SystemState> {
  const { overload, ledger } = ctx;
  const memory = process.memoryUsage();
  const [database, nodes, mails, certificates] = await Promise.all([
    readDatabase(ctx.db),
    listNodes(ctx),
    countMails(ctx),
    listCertificates(ctx),
  ]);
  return {
    version,
    newest: newestVersion(ctx),
    node: `${hostname()}:${process.pid}`,
    node_version: process.version,
    started_at: ctx.startTime,
    now: nowSeconds(ctx.clock),
    database,
    nodes,
    event_loop: overload.delays(),
    memory: {
      rss: memory.rss,
      heap: memory.heapUsed,
      external: memory.external,
      share: overload.memoryShare,
    },
    requests: {
      running,
      held: ledger.openHolds,
      refused: overload.refused,
      shedding: overload.shedding,
    },
    queues: {
      mail_waiting: mails.get('waiting') ?? 0,
      mail_failed: mails.get('failed') ?? 0,
    },
    certificates,
  };
}

async function listNodes({ db }: Context): Promise<SystemState['nodes']> {
  const rows = await db.reader
    .selectFrom('node')
    .select(['id', 'name', 'version', 'started_at'])
    .select(sql<number>`lease_until > unixepoch()`.as('is_alive'))
    .orderBy('id')
    .execute();
  return rows.map(({ is_alive, ...row }) => ({ ...row, is_alive: is_alive === 1 }));
}

async function countMails({ db }: Context) {
  const rows = await db.reader
    .selectFrom('mail')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  return new Map(rows.map(({ state, count }) => [state, count]));
}
