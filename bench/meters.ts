/** What a node, its database and Redis have spent so far, as numbers that only grow: read before and after. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { type DatabaseServer, openPostgresPool, startPostgres } from '../apps/server/src/testing/database-server.ts';
import { type RedisServer, startRedis } from '../apps/server/src/testing/redis-server.ts';
import { cpuSeconds, ScenarioSkippedError } from './processes.ts';

/** The servers that nodes share. */
export interface Servers {
  postgres: DatabaseServer;
  redis: RedisServer;
  /** For questions to PostgreSQL; its cost is in the measurement, a few milliseconds of a round. */
  client: ReturnType<typeof openPostgresPool>;
  close(): Promise<void>;
}

/** @throws ScenarioSkippedError where one of the servers is not installed */
export async function startServers(): Promise<Servers> {
  const postgres = await startPostgres('durable');
  const redis = await startRedis();
  if (postgres === undefined || redis === undefined)
    throw new ScenarioSkippedError(
      'PostgreSQL or Redis is not installed (Debian: apt-get install postgresql redis-server)',
    );
  const client = openPostgresPool(postgres.uri);
  return {
    postgres,
    redis,
    client,
    async close() {
      await client.end();
      await redis.close();
      await postgres.close();
    },
  };
}

/** Seconds are of CPU. */
export interface Meters {
  nodeSeconds: number;
  databaseSeconds: number;
  walBytes: number;
  /** Of the ledger. */
  commits: number;
  /** How long they took, of a clock. */
  commitSeconds: number;
  redisSeconds: number;
  /** Each of which is one round trip. */
  redisScripts: number;
}

/** May read what a node tells of itself. */
export const METRICS_TOKEN = 'bench-may-read-the-metrics';

export async function readMeters(
  { postgres, redis, client }: Servers,
  node: { pid: number; port: number },
): Promise<Meters> {
  const info = await askRedis(redis.url);
  return {
    nodeSeconds: cpuSeconds(node.pid),
    databaseSeconds: cpuSeconds(postgres.pid),
    walBytes: await walBytes(client),
    ...(await readCommits(node.port)),
    redisSeconds: numberIn(info, /used_cpu_user:([\d.]+)/) + numberIn(info, /used_cpu_sys:([\d.]+)/),
    redisScripts: numberIn(info, /cmdstat_evalsha:calls=(\d+)/) + numberIn(info, /cmdstat_eval:calls=(\d+)/),
  };
}

/** That PostgreSQL has written into its log. */
export async function walBytes(client: Servers['client']): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`);
  return Number(rows[0]?.bytes);
}

export function difference(after: Meters, before: Meters): Meters {
  return {
    nodeSeconds: after.nodeSeconds - before.nodeSeconds,
    databaseSeconds: after.databaseSeconds - before.databaseSeconds,
    walBytes: after.walBytes - before.walBytes,
    commits: after.commits - before.commits,
    commitSeconds: after.commitSeconds - before.commitSeconds,
    redisSeconds: after.redisSeconds - before.redisSeconds,
    redisScripts: after.redisScripts - before.redisScripts,
  };
}

async function readCommits(port: number): Promise<Pick<Meters, 'commits' | 'commitSeconds'>> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  const text = await answer.text();
  return {
    commits: numberIn(text, /^switchyard_commit_duration_seconds_count (\d+)/m),
    commitSeconds: numberIn(text, /^switchyard_commit_duration_seconds_sum ([\d.e-]+)/m),
  };
}

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);

async function askRedis(url: string): Promise<string> {
  const { hostname, port, password } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  socket.end(`AUTH ${password}\r\nINFO everything\r\nQUIT\r\n`);
  await once(socket, 'close');
  return text;
}
