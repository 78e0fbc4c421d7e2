/**
 * What a request costs on PostgreSQL, and with Redis: on the node, and on the database's machine, which here are one. Two
 * cores say nothing of how many nodes do how much more; the two costs say where each of them is full.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  createDatabase,
  type DatabaseServer,
  startPostgres,
} from '../../apps/server/src/testing/database-server.ts';
import { startRedis } from '../../apps/server/src/testing/redis-server.ts';
import { noConcurrencyLimits } from '../../apps/server/src/testing/relay-scene.ts';
import { settings } from '../../packages/contract/src/settings.ts';
import { cpuSeconds } from '../processes.ts';
import type { Row } from '../report.ts';
import { median } from '../statistics.ts';
import { type SwitchyardTarget, startSwitchyard } from '../targets/switchyard.ts';
import { requestBytes } from '../targets/target.ts';
import type { BenchRun } from './bench-run.ts';
import { type Figures, measureOne, medians } from './figures.ts';

const WARM_UP_MS = 1_000;
const FEW = 32;
const MANY = 256;

interface Cost extends Figures {
  /** CPU of the database for each request. */
  databaseMicros: number;
}

export async function measureNodes(run: BenchRun): Promise<Row[]> {
  const server = await startPostgres('durable');
  const redis = await startRedis();
  if (server === undefined || redis === undefined)
    return [
      { ...information('a node on PostgreSQL'), measured: 'PostgreSQL or Redis is not installed here' },
    ];
  try {
    const upstream = run.direct.port;
    const start = async (name: string, variables: Readonly<Record<string, string>>) => {
      const folder = join(run.folder, name);
      mkdirSync(folder);
      const DATABASE_URL = await createDatabase(server, name);
      const target = await startSwitchyard(upstream, folder, { DATABASE_URL, ...variables });
      await target.root.api(settings).updateMany({ body: noConcurrencyLimits });
      return target;
    };
    const plain = await start('on_postgres', {});
    const shared = await start('with_redis', { REDIS_URL: redis.url });
    const rows: Row[] = [];
    for (const connections of [FEW, MANY]) {
      const figures = await compare(run, server, connections, { 'own file': run.switchyard, plain, shared });
      rows.push({
        ...information(`a node on PostgreSQL, ${connections} connections`),
        measured: [...figures].map(([name, cost]) => describe(name, cost)).join('; '),
      });
    }
    await Promise.all([plain.stop(), shared.stop()]);
    return rows;
  } finally {
    await redis.close();
    await server.close();
  }
}

const information = (what: string) => ({ what, wanted: '', verdict: 'for information' as const });

async function compare(
  run: BenchRun,
  server: DatabaseServer,
  connections: number,
  targets: Readonly<Record<'own file' | 'plain' | 'shared', SwitchyardTarget>>,
): Promise<Map<string, Cost>> {
  const named = [
    ['its own file', targets['own file']],
    ['PostgreSQL', targets.plain],
    ['PostgreSQL and Redis', targets.shared],
  ] as const;
  const samples = new Map(named.map(([name]) => [name, [] as Cost[]]));
  for (let round = 0; round <= run.rounds; round += 1)
    for (const [name, target] of named) {
      const milliseconds = round === 0 ? WARM_UP_MS : run.milliseconds;
      const before = cpuSeconds(server.pid);
      const figures = await measureOne({ ...run, milliseconds }, target, connections, requestBytes(target));
      const cpu = cpuSeconds(server.pid) - before;
      const requests = (figures.perSecond * milliseconds) / 1_000;
      if (round > 0) samples.get(name)?.push({ ...figures, databaseMicros: (cpu * 1e6) / requests });
    }
  return new Map(
    [...samples].map(([name, costs]) => {
      const databaseMicros = median(costs.map((cost) => cost.databaseMicros));
      return [name, { ...medians(costs), databaseMicros }];
    }),
  );
}

function describe(name: string, { perSecond, cpuMicros, databaseMicros, p50, p99 }: Cost): string {
  const rate = Math.round(perSecond).toLocaleString('en');
  const database = databaseMicros < 1 ? '' : `, database ${databaseMicros.toFixed(0)} µs`;
  return `${name} ${rate}/s, CPU ${cpuMicros.toFixed(0)} µs${database}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}
