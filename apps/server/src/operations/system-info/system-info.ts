/** State of this server. */

import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { SystemState } from '@switchyard/contract/operations/system-info';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Database, ReplicaState, SqliteEngine } from '../../db/open-database.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { version } from '../../platform/version.ts';
import { listCertificates } from './channel-host-certificates.ts';

/** Checks for a newer version at the operator's chosen address; without one nothing is requested. */

const TIMEOUT_MS = 10_000;
/** Maximum bytes of a release with its notes, as code hosts return it. */
const ANSWER_MAX_BYTES = 1_048_576;

const versionText = z
  .string()
  .max(64)
  .regex(/^v?\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/);
/**
 * Response schema: a self-hosted file, or a release as GitHub lists it:
 * https://docs.github.com/rest/releases/releases
 */
const versionResponse = z.union([
  z.object({ version: versionText }).transform(({ version: named }) => named),
  z.object({ tag_name: versionText }).transform(({ tag_name: named }) => named),
]);

interface VersionCheck {
  address: string;
  version: string;
  askedAt: number;
}

/** Last result of each server of this process. Each server checks at its start, so nothing is stored. */
const lastVersionChecks = new WeakMap<Context, VersionCheck>();

/** Job. @throws Error when the response contains no version */
export async function checkVersion(ctx: Context, stopping: AbortSignal): Promise<void> {
  const address = ctx.settings.versionUrl;
  if (address === '') return;
  const { status, json } = await ctx.outbound.fetchJson({
    method: 'GET',
    url: address,
    headers: { accept: 'application/json', 'user-agent': `switchyard/${version}` },
    proxy: '',
    timeoutMs: TIMEOUT_MS,
    signal: stopping,
    maxBytes: ANSWER_MAX_BYTES,
  });
  const named = versionResponse.safeParse(json);
  if (status !== 200 || !named.success)
    throw new Error(`The address for new versions returned status ${status} and no version`);
  lastVersionChecks.set(ctx, { address, version: named.data, askedAt: nowSeconds(ctx.clock) });
}

/** Returns null without an address, or before the first result. */
export function readNewestVersion(ctx: Context): SystemState['newest'] {
  const known = lastVersionChecks.get(ctx);
  if (known === undefined || known.address !== ctx.settings.versionUrl) return null;
  return { version: known.version, is_newer: isNewer(known.version, version), asked_at: known.askedAt };
}

/** Compares versions by their three numbers; a pre-release is older than its release. */
export function isNewer(one: string, other: string): boolean {
  const [first, second] = [parseVersion(one), parseVersion(other)];
  const differing = first.findIndex((part, index) => part !== second[index]);
  return differing !== -1 && (first[differing] ?? 0) > (second[differing] ?? 0);
}

function parseVersion(text: string): number[] {
  const [core = '', ...before] = text.replace(/^v/, '').split('+', 1)[0]?.split('-') ?? [];
  return [...core.split('.').map(Number), before.length === 0 ? 1 : 0];
}

export { checkCertificates, filterExpiring } from './channel-host-certificates.ts';

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
