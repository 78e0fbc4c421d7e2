/** Starts a streaming replica of a PostgreSQL server, for tests. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { findFreePort } from '../../../../tests/find-free-port.ts';
import { createServerFolder, type DatabaseServer, findPostgresPrograms, runPostgres } from './database-server.ts';

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
