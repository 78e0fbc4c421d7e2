/** State of the database, from its own statistics. */
import { stat } from 'node:fs/promises';
import type { SystemState } from '@switchyard/contract/operations/system-info';
import { sql } from 'kysely';
import type { Database, ReplicaState, SqliteEngine } from '../../db/db.ts';

type DatabaseState = SystemState['database'];
type Own = Omit<DatabaseState, 'replica'>;

export async function readDatabase({ reader, engine, replica }: Database): Promise<DatabaseState> {
  const state = await (engine.kind === 'sqlite' ? readSqlite(reader, engine) : readPostgres(reader));
  return { ...state, replica: replica === undefined ? null : presentReplica(replica) };
}

const presentReplica = ({ use, lagMs }: ReplicaState): DatabaseState['replica'] => ({
  use,
  lag: lagMs === undefined ? null : Math.round(lagMs),
});

async function readSqlite(reader: Database['reader'], { file }: SqliteEngine): Promise<Own> {
  const { rows } = await sql<
    Omit<NonNullable<DatabaseState['file']>, 'wal_size'> & Pick<DatabaseState, 'migration' | 'engine_version'>
  >`select
      (select freelist_count from pragma_freelist_count) as free_pages,
      (select page_size from pragma_page_size) as page_size,
      (select journal_mode from pragma_journal_mode) as journal_mode,
      (select max(name) from kysely_migration) as migration,
      sqlite_version() as engine_version`.execute(reader);
  const { migration, engine_version, ...pages } = only(rows);
  const [size, wal_size] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`)]);
  return {
    engine: 'sqlite',
    engine_version,
    migration,
    size,
    file: { ...pages, wal_size },
    connections: null,
  };
}

async function readPostgres(reader: Database['reader']): Promise<Own> {
  const { rows } = await sql<
    Pick<DatabaseState, 'size' | 'migration' | 'engine_version'> & NonNullable<DatabaseState['connections']>
  >`select
      pg_database_size(current_database()) as size,
      (select max(name) from kysely_migration) as migration,
      current_setting('server_version') as engine_version,
      (select sum(numbackends) from pg_stat_database) as open,
      cast(current_setting('max_connections') as bigint) as max`.execute(reader);
  const { open, max, ...own } = only(rows);
  return { engine: 'postgres', ...own, file: null, connections: { open, max } };
}

function only<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('The database returned no information about itself');
  return row;
}

/** 0 for a file that is not there. */
async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}
