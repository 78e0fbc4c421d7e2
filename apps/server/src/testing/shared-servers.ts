/**
 * Database servers that the test files of a run share: the first file that needs one starts it, and the run stops it.
 * Each test creates its own databases there. A test that stops or replicates a server starts its own
 * (`database-server.ts`).
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getRunPostgres, getServersFolder, TEMPLATE } from '../../../../tests/test-database.ts';
import { openDatabase } from '../db/open-database.ts';
import { sleep, systemTimers } from '../platform/clock.ts';
import { createDatabase, type DatabaseServer, openMysqlPool, startMariadb, startPostgres } from './database-server.ts';

const START_MS = 90_000;
const CHECK_MS = 50;

type SharedServer = Pick<DatabaseServer, 'uri' | 'pid' | 'folder'>;
type Start = () => Promise<DatabaseServer | undefined>;

/** Starts a PostgreSQL with the migrated template once per run. @returns undefined if it is not installed */
export async function sharedPostgres(): Promise<Pick<DatabaseServer, 'uri'> | undefined> {
  const uri = getRunPostgres();
  return uri === undefined ? getSharedServer('postgres', startPostgresWithTemplate) : { uri };
}

/** @returns undefined if MariaDB is not installed */
export function sharedMariadb(): Promise<Pick<DatabaseServer, 'uri'> | undefined> {
  return getSharedServer('mariadb', startMariadb);
}

/** Starts a PostgreSQL with the migrated template. @returns undefined if it is not installed */
export async function startPostgresWithTemplate(): Promise<DatabaseServer | undefined> {
  const server = await startPostgres();
  if (server === undefined) return undefined;
  const db = await openDatabase(await createDatabase(server, TEMPLATE));
  await db.close();
  return server;
}

/** @returns the address of a new database with our tables */
export function createMigratedDatabase(server: Pick<DatabaseServer, 'uri'>): Promise<string> {
  return createDatabase(server, `migrated_${randomBytes(8).toString('hex')}`, TEMPLATE);
}

/** @returns the address of a new empty database of PostgreSQL */
export function createEmptyDatabase(server: Pick<DatabaseServer, 'uri'>): Promise<string> {
  return createDatabase(server, `empty_${randomBytes(8).toString('hex')}`);
}

/** @returns the address of a new empty database of MariaDB */
export async function createEmptyMariadb({ uri }: Pick<DatabaseServer, 'uri'>): Promise<string> {
  const name = `empty_${randomBytes(8).toString('hex')}`;
  const pool = openMysqlPool(uri).promise();
  await pool.query(`create database ${name}`);
  await pool.end();
  return Object.assign(new URL(uri), { pathname: name }).href;
}

/** Stops the shared servers that this run has started, and removes their data. */
export async function stopSharedServers(folder: string): Promise<void> {
  const signals = { postgres: 'SIGINT', mariadb: 'SIGTERM' } as const;
  for (const [name, signal] of Object.entries(signals)) {
    const file = join(folder, `${name}.json`);
    if (!existsSync(file)) continue;
    const server = JSON.parse(readFileSync(file, 'utf8')) as SharedServer | null;
    if (server === null) continue;
    if (isAlive(server.pid)) process.kill(server.pid, signal);
    for (const until = Date.now() + START_MS; isAlive(server.pid) && Date.now() < until; )
      await sleep(systemTimers, CHECK_MS);
    rmSync(server.folder, { recursive: true, force: true });
  }
}

async function getSharedServer(name: string, start: Start): Promise<Pick<DatabaseServer, 'uri'> | undefined> {
  const folder = getServersFolder();
  if (folder === undefined) throw new Error('tests/shared-servers.ts must be a globalSetup of this project');
  const file = join(folder, `${name}.json`);
  if (isFirst(join(folder, `${name}.lock`))) {
    const server = await start();
    server?.release();
    writeFileSync(`${file}.part`, JSON.stringify(server ?? null));
    renameSync(`${file}.part`, file);
  }
  for (const until = Date.now() + START_MS; !existsSync(file); await sleep(systemTimers, CHECK_MS))
    if (Date.now() > until) throw new Error(`${name} was not started by the test that began to`);
  const server = JSON.parse(readFileSync(file, 'utf8')) as SharedServer | null;
  return server === null ? undefined : { uri: server.uri };
}

function isFirst(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx'));
    return true;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
