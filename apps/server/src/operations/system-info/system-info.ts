/** State of this server. */

import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { SystemState } from '@switchyard/contract/operations/system-info';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database, ReplicaState, SqliteEngine } from '../../db/open-database.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { version } from '../../platform/version.ts';
import { listCertificates } from './channel-host-certificates.ts';
import { readNewestVersion } from './check-newer-version.ts';

export { checkCertificates, filterExpiring } from './channel-host-certificates.ts';
export { checkVersion, readNewestVersion } from './check-newer-version.ts';

/** @param running relayed requests with a concurrency slot */
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
    newest: readNewestVersion(ctx),
    node: `${hostname()}:${process.pid}`,
    node_version: process.version,
    started_at: ctx.startTime,
    now: nowSeconds(ctx.clock),
    database,
    nodes,
    event_loop: overload.delays(),
    memory: { rss: memory.rss, heap: memory.heapUsed, external: memory.external, share: overload.memoryShare },
    requests: { running, held: ledger.openHolds, refused: overload.refused, shedding: overload.shedding },
    queues: { mail_waiting: mails.get('waiting') ?? 0, mail_failed: mails.get('failed') ?? 0 },
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

/** State of the database, from its own statistics. */

type DatabaseState = SystemState['database'];
type LocalDatabaseState = Omit<DatabaseState, 'replica'>;

async function readDatabase({ reader, engine, replica }: Database): Promise<DatabaseState> {
  const state = await (engine.kind === 'sqlite' ? readSqlite(reader, engine) : readPostgres(reader));
  return { ...state, replica: replica === undefined ? null : presentReplica(replica) };
}

const presentReplica = ({ use, lagMs }: ReplicaState): DatabaseState['replica'] => ({
  use,
  lag: lagMs === undefined ? null : Math.round(lagMs),
});

async function readSqlite(reader: Database['reader'], { file }: SqliteEngine): Promise<LocalDatabaseState> {
  const { rows } = await sql<
    Omit<NonNullable<DatabaseState['file']>, 'wal_size'> & Pick<DatabaseState, 'migration' | 'engine_version'>
  >`select
      (select freelist_count from pragma_freelist_count) as free_pages,
      (select page_size from pragma_page_size) as page_size,
      (select journal_mode from pragma_journal_mode) as journal_mode,
      (select max(name) from kysely_migration) as migration,
      sqlite_version() as engine_version`.execute(reader);
  const { migration, engine_version, ...pages } = getOnlyRow(rows);
  const [size, wal_size] = await Promise.all([getFileSize(file), getFileSize(`${file}-wal`)]);
  return { engine: 'sqlite', engine_version, migration, size, file: { ...pages, wal_size }, connections: null };
}

async function readPostgres(reader: Database['reader']): Promise<LocalDatabaseState> {
  const { rows } = await sql<
    Pick<DatabaseState, 'size' | 'migration' | 'engine_version'> & NonNullable<DatabaseState['connections']>
  >`select
      pg_database_size(current_database()) as size,
      (select max(name) from kysely_migration) as migration,
      current_setting('server_version') as engine_version,
      (select sum(numbackends) from pg_stat_database) as open,
      cast(current_setting('max_connections') as bigint) as max`.execute(reader);
  const { open, max, ...own } = getOnlyRow(rows);
  return { engine: 'postgres', ...own, file: null, connections: { open, max } };
}

function getOnlyRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('The database returned no information about itself');
  return row;
}

/** Returns 0 for a missing file. */
async function getFileSize(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}
