/** How this server is. */
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { SystemState } from '@switchyard/contract/system-info';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { version } from '../../platform/version.ts';
import { listCertificates } from './certificates.ts';
import { newestVersion } from './new-version.ts';

export { checkCertificates, endingCertificates } from './certificates.ts';
export { checkVersion, newestVersion } from './new-version.ts';

/** @param running relayed requests that have a place, as the gateway counts them */
export async function readSystem(ctx: Context, running: number): Promise<SystemState> {
  const { overload, ledger } = ctx;
  const memory = process.memoryUsage();
  const [database, mails, certificates] = await Promise.all([
    readDatabase(ctx),
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

async function readDatabase({ db }: Context): Promise<SystemState['database']> {
  const { rows } = await sql<Omit<SystemState['database'], 'size' | 'wal_size'>>`select
      (select freelist_count from pragma_freelist_count) as free_pages,
      (select page_size from pragma_page_size) as page_size,
      (select journal_mode from pragma_journal_mode) as journal_mode,
      (select max(name) from kysely_migration) as migration,
      sqlite_version() as sqlite_version`.execute(db.reader);
  const [row] = rows;
  if (row === undefined) throw new Error('The database tells nothing of itself');
  const file = db.engine.kind === 'sqlite' ? db.engine.file : '';
  return { ...row, size: await sizeOf(file), wal_size: await sizeOf(`${file}-wal`) };
}

/** 0 for a file that is not there. */
async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

async function countMails({ db }: Context) {
  const rows = await db.reader
    .selectFrom('mail')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  return new Map(rows.map(({ state, count }) => [state, count]));
}
