/** Resources that a node, its database and Redis have used so far, as growing counters: read before and after. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { cpuSeconds, type Servers } from './processes.ts';

/** CPU seconds. */
export interface Meters {
  nodeSeconds: number;
  databaseSeconds: number;
  walBytes: number;
  /** Commits of the ledger. */
  commits: number;
  /** Elapsed time of these. */
  commitSeconds: number;
  redisSeconds: number;
  /** Commands, each of which is one round trip. */
  redisScripts: number;
}

/** Token that may read a node's metrics. */
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

/** Bytes that PostgreSQL has written into its log. */
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
