/**
 * Cost of a request on PostgreSQL, and with Redis: on the node, and on the servers that nodes share. Under other load
 * the rate of requests is meaningless; the costs show at which rate each part is fully used.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '../../apps/server/src/testing/database-server.ts';
import { apiKeySetting, apiKeys, createApiKey } from '../../packages/contract/src/accounts/api-keys.ts';
import { difference, METRICS_TOKEN, type Meters, readMeters } from '../meters.ts';
import { type Servers, startServers } from '../processes.ts';
import { information, type Row } from '../report.ts';
import { median } from '../statistics.ts';
import { type SwitchyardTarget, startSwitchyard } from '../targets/switchyard.ts';
import { requestBytes, type Target } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';
import { measureOne } from './measure-with-retries.ts';

const WARM_UP_MS = 3_000;
const CONNECTIONS = [8, 32, 256];
/** Maximum of a token; more than a run needs. */
const TOKENS_PER_MINUTE = 1_000_000_000;
const SEATS = 100_000;

/** Figures of a round; CPU and bytes per request. */
interface Cost extends Meters {
  perSecond: number;
  requests: number;
  p50: number;
  p99: number;
}

export async function measureNodes(run: BenchRun): Promise<Row[]> {
  const servers = await startServers();
  try {
    const own = await startNode(run, 'own_file', {});
    const plain = await startNode(run, 'on_postgres', {
      DATABASE_URL: await createDatabase(servers.postgres, 'plain'),
    });
    const shared = await startNode(run, 'with_redis', {
      DATABASE_URL: await createDatabase(servers.postgres, 'shared'),
      REDIS_URL: servers.redis.url,
    });
    const targets: readonly (readonly [string, Target])[] = [
      ['bare proxy', run.bare],
      ['own file', own],
      ['PostgreSQL', plain],
      ['PostgreSQL and Redis', { ...shared, headers: await limitedToken(shared) }],
    ];
    const rows: Row[] = [];
    for (const connections of CONNECTIONS) {
      const samples = await compare(run, servers, connections, targets);
      for (const [name, costs] of samples)
        rows.push(information(`${name}, ${connections} connections`, describe(costs)));
    }
    await Promise.all([own, plain, shared].map((target) => target.stop()));
    return rows;
  } finally {
    await servers.close();
  }
}

export function startNode(
  run: BenchRun,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<SwitchyardTarget> {
  const folder = join(run.folder, name);
  mkdirSync(folder);
  return startSwitchyard(run.direct.port, folder, { METRICS_TOKEN, ...variables });
}

/** Limits that nodes share, and that are not reached. */
async function limitedToken({ root }: SwitchyardTarget): Promise<Target['headers']> {
  const setting = apiKeySetting.parse({
    limits: {
      limit_model_setting: { enabled: false, models: [] },
      limits_ip_setting: { enabled: false, whitelist: [] },
      tokens_per_minute: TOKENS_PER_MINUTE,
      concurrency: SEATS,
    },
  });
  const { key } = await root
    .api(apiKeys)
    .create({ body: createApiKey.parse({ name: 'limited', unlimited_quota: true, setting }) });
  return { authorization: `Bearer ${key}` };
}

async function compare(
  run: BenchRun,
  servers: Servers,
  connections: number,
  targets: readonly (readonly [string, Target])[],
): Promise<Map<string, Cost[]>> {
  const samples = new Map(targets.map(([name]) => [name, [] as Cost[]]));
  for (let round = 0; round <= run.rounds; round += 1)
    for (const [name, target] of targets) {
      const milliseconds = round === 0 ? WARM_UP_MS : run.milliseconds;
      const cost = await measureCost({ ...run, milliseconds }, servers, target, connections);
      if (round > 0) samples.get(name)?.push(cost);
    }
  return samples;
}

async function measureCost(run: BenchRun, servers: Servers, target: Target, connections: number): Promise<Cost> {
  const before = await readMeters(servers, target);
  const { perSecond, requests, p50, p99 } = await measureOne(run, target, connections, requestBytes(target));
  return { ...difference(await readMeters(servers, target), before), perSecond, requests, p50, p99 };
}

function describe(costs: readonly Cost[]): string {
  const micros = (value: (cost: Cost) => number): string => {
    const values = costs.map((cost) => (value(cost) * 1e6) / cost.requests);
    return `${median(values).toFixed(0)} µs (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
  };
  const each = (value: (cost: Cost) => number): number => median(costs.map((cost) => value(cost) / cost.requests));
  const of = (value: (cost: Cost) => number): number => median(costs.map(value));
  const commits = each((cost) => cost.commits);
  const scripts = each((cost) => cost.redisScripts);
  return [
    `${of(({ perSecond }) => perSecond).toFixed(0)}/s`,
    `CPU of the node ${micros((cost) => cost.nodeSeconds)}`,
    commits === 0 ? [] : `${(2 / commits).toFixed(1)} movements a commit`,
    `of PostgreSQL ${micros((cost) => cost.databaseSeconds)}`,
    `log of PostgreSQL ${each((cost) => cost.walBytes).toFixed(0)} bytes`,
    scripts < 0.1 ? [] : `Redis ${micros((cost) => cost.redisSeconds)}, ${scripts.toFixed(1)} scripts`,
    `p50 ${of(({ p50 }) => p50).toFixed(1)} ms, p99 ${of(({ p99 }) => p99).toFixed(1)} ms`,
  ]
    .flat()
    .join('; ');
}
