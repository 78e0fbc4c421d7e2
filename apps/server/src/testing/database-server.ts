/** Starts database servers for tests on a free port of this machine, each with a separate folder. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool as createMysqlPool } from 'mysql2';
import { createConnection } from 'mysql2/promise';
import { Client, Pool } from 'pg';
import { findFreePort } from '../../../../tests/find-free-port.ts';
import { sleep, systemTimers } from '../platform/clock.ts';

const START_MS = 60_000;
const POSTGRES = '/usr/lib/postgresql';
const MARIADB = '/usr/sbin/mariadbd';
const MARIADB_INSTALL = '/usr/bin/mariadb-install-db';

export interface DatabaseServer {
  /** Address of an empty database, whose name can be replaced. */
  uri: string;
  pid: number;
  /** Folder of the data; removed with the server. */
  folder: string;
  /** Lets this process end while the server runs. */
  release(): void;
  close(): Promise<void>;
}

export interface PostgresServer extends DatabaseServer {
  /** Kills the server with all connections and uncommitted changes. */
  crash(): Promise<void>;
  /** Starts the server again with the committed data. */
  restart(): Promise<void>;
}

/**
 * Starts a PostgreSQL; undefined if it is not installed.
 * @param durability `durable` for measurements; tests do not need it
 */
export async function startPostgres(
  durability: 'durable' | 'volatile' = 'volatile',
): Promise<PostgresServer | undefined> {
  const programs = findPostgresPrograms();
  if (programs === undefined) return undefined;
  const folder = createServerFolder('postgres');
  execFileSync(
    join(programs, 'initdb'),
    ['-D', join(folder.folder, 'data'), '-A', 'trust', '-U', 'tester', '-E', 'UTF8', '--no-sync'],
    { ...folder.identity, stdio: 'ignore' },
  );
  const port = await findFreePort();
  const run = () => runPostgres(programs, folder, port, durability);
  let program = await run();
  return {
    uri: addressOf(port),
    pid: program.pid,
    folder: folder.folder,
    release: () => program.release(),
    crash: () => program.crash(),
    async restart() {
      program = await run();
    },
    close: () => program.close(),
  };
}

const addressOf = (port: number): string => `postgres://tester@127.0.0.1:${port}/postgres`;

/** Starts the server and waits until it responds. @param folder has its data in `data` */
async function runPostgres(
  programs: string,
  folder: ReturnType<typeof createServerFolder>,
  port: number,
  durability: 'durable' | 'volatile',
) {
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder.folder}`,
    `fsync=${durability === 'durable' ? 'on' : 'off'}`,
    // A replica with a lower limit than its primary does not start.
    'max_connections=500',
  ];
  const program = start(
    join(programs, 'postgres'),
    ['-D', join(folder.folder, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    folder,
  );
  await waitUntilReady(async () => {
    const client = new Client({ connectionString: addressOf(port) });
    await client.connect();
    await client.end();
  });
  return program;
}

/** Returns the folder of the newest version. */
function findPostgresPrograms(): string | undefined {
  const version = existsSync(POSTGRES) ? readdirSync(POSTGRES).toSorted().at(-1) : undefined;
  return version === undefined ? undefined : join(POSTGRES, version, 'bin');
}

/** Starts a MariaDB; undefined if it is not installed. */
export async function startMariadb(): Promise<DatabaseServer | undefined> {
  if (!existsSync(MARIADB)) return undefined;
  const { folder, identity } = createServerFolder('mysql');
  const data = join(folder, 'data');
  execFileSync(
    MARIADB_INSTALL,
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { ...identity, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const port = await findFreePort();
  const program = start(
    MARIADB,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      '--character-set-server=utf8mb4',
    ],
    { folder, identity },
  );
  const server = `mysql://root@127.0.0.1:${port}`;
  await waitUntilReady(async () => {
    const connection = await createConnection(`${server}/mysql`);
    await connection.query('create database if not exists old');
    await connection.end();
  });
  return { uri: `${server}/old`, ...program };
}

/** @returns the address of a new PostgreSQL database with this name, empty or a copy of the template */
export async function createDatabase(
  server: Pick<DatabaseServer, 'uri'>,
  name: string,
  template?: string,
): Promise<string> {
  const client = new Client({ connectionString: server.uri });
  await client.connect();
  await client.query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  await client.end();
  return Object.assign(new URL(server.uri), { pathname: name }).href;
}

export function openPostgresPool(uri: string): Pool {
  return new Pool({ connectionString: uri, max: 1 });
}

export function openMysqlPool(uri: string) {
  return createMysqlPool({ uri, connectionLimit: 1 });
}

/** Creates a folder and finds a user for the server, because these servers do not run as root. */
function createServerFolder(user: string): { folder: string; identity: { uid?: number; gid?: number } } {
  const folder = mkdtempSync(join(tmpdir(), `switchyard-${user}-`));
  if (process.getuid?.() !== 0) return { folder, identity: {} };
  const accounts = readFileSync('/etc/passwd', 'utf8');
  const lineOf = (name: string) => new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(accounts);
  const [, uid, gid] = lineOf(user) ?? lineOf('nobody') ?? [];
  const identity = { uid: Number(uid), gid: Number(gid) };
  chownSync(folder, identity.uid, identity.gid);
  return { folder, identity };
}

function start(
  program: string,
  parameters: readonly string[],
  { folder, identity }: ReturnType<typeof createServerFolder>,
): Omit<DatabaseServer, 'uri'> & { end(): Promise<void>; crash(): Promise<void> } {
  const server = spawn(program, [...parameters], { ...identity, cwd: folder, stdio: 'ignore' });
  // SIGINT stops PostgreSQL without waiting for clients; MariaDB never waits for clients.
  const end = async (signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT'): Promise<void> => {
    const ended = once(server, 'exit');
    server.kill(signal);
    const late = systemTimers.after(START_MS / 6, () => server.kill('SIGKILL'));
    await ended;
    late.close();
  };
  return {
    pid: server.pid ?? 0,
    folder,
    release: () => server.unref(),
    end: () => end('SIGINT'),
    // PostgreSQL then ends like after a crash, and recovers at its next start.
    crash: () => end('SIGQUIT'),
    async close() {
      await end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilReady(connect: () => Promise<void>): Promise<void> {
  for (const until = Date.now() + START_MS; ; ) {
    try {
      return await connect();
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(systemTimers, 20);
    }
  }
}

export interface ReplicaServer {
  /** Address of the database with the same name as the primary's. */
  uri: string;
  /** Runs a statement on the replica, for faults that the product never causes. */
  query(statement: string): Promise<void>;
  stop(): Promise<void>;
  /** Starts it again from its last position. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a streaming replica of a PostgreSQL server. */
export async function startReplica(primary: Pick<DatabaseServer, 'uri'>): Promise<ReplicaServer> {
  const programs = findPostgresPrograms();
  if (programs === undefined) throw new Error('There is no PostgreSQL on this machine');
  const folder = createServerFolder('postgres');
  execFileSync(
    join(programs, 'pg_basebackup'),
    ['-D', join(folder.folder, 'data'), '-R', '-X', 'stream', '-c', 'fast', '--no-sync', '-d', primary.uri],
    { ...folder.identity, cwd: folder.folder, stdio: 'ignore' },
  );
  const port = await findFreePort();
  const uri = Object.assign(new URL(primary.uri), { port: String(port) }).href;
  const run = () => runPostgres(programs, folder, port, 'volatile');
  let program: Awaited<ReturnType<typeof run>> | undefined = await run();
  const stop = async (): Promise<void> => {
    const ending = program;
    program = undefined;
    await ending?.end();
  };
  return {
    uri,
    async query(statement) {
      const client = new Client({ connectionString: uri });
      await client.connect();
      await client.query(statement);
      await client.end();
    },
    stop,
    async restart() {
      program = await run();
    },
    async close() {
      await stop();
      rmSync(folder.folder, { recursive: true, force: true });
    },
  };
}
