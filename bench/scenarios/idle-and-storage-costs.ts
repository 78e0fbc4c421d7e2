/**
 * Costs of idle nodes, of messages between nodes, and of storage: the parts of the
 * capacity model that are no relayed request's CPU.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, openPostgresPool } from '../../apps/server/src/testing/database-server.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { users } from '../../packages/contract/src/accounts/users.ts';
import { toPoints } from '../../packages/contract/src/money.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { startProduct } from '../../tests/faults/start-product.ts';
import { cpuSeconds, type Servers, startServers } from '../processes.ts';
import { information, type Row } from '../report.ts';
import type { SwitchyardTarget } from '../targets/switchyard.ts';
import { requestBytes, type Target } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';
import { measureOne } from './measure-with-retries.ts';
import { startNode } from './postgres-and-redis.ts';

const IDLE_MS = 20_000;
const CHANGES = 100;
const RECORDS_AT_LEAST = 20_000;
const CONNECTIONS = 64;

export async function measureSharedCosts(run: BenchRun): Promise<Row[]> {
  const servers = await startServers();
  try {
    const DATABASE_URL = await createDatabase(servers.postgres, 'shared_costs');
    const common = { DATABASE_URL, MASTER_KEY: randomBytes(32).toString('base64') };
    const node = await startNode(run, 'first', common);
    const second = await startProduct(
      { dataDir: join(run.folder, 'second'), root: node.folder.root },
      { variables: common },
    );
    const other = { pid: second.process.pid ?? 0 };
    const rows = [
      information('nodes that nobody asks', await idle(servers, node, other)),
      information('a change by an administrator, two nodes', await changes(servers, node, other)),
    ];
    await second.stop('SIGTERM');
    rows.push(information('a record on the disk of PostgreSQL', await onPostgres(run, node, DATABASE_URL)));
    await node.stop();
    rows.push(information('a record in the file of one node', await inFile(run)));
    return rows;
  } finally {
    await servers.close();
  }
}

type Pid = Pick<Target, 'pid'>;

async function idle(servers: Servers, node: Pid, other: Pid): Promise<string> {
  await pause(IDLE_MS / 4);
  const transactions = await readTransactions(servers);
  const before = cpuOf(servers, node, other);
  await pause(IDLE_MS);
  const each = cpuOf(servers, node, other).map((seconds, nth) => seconds - (before[nth] ?? 0));
  const perSecond = each.map((seconds) => `${((seconds * 1e6) / (IDLE_MS / 1_000) / 1_000).toFixed(1)} ms`);
  const asked = ((await readTransactions(servers)) - transactions) / (IDLE_MS / 1_000);
  const open = await servers.client.query<{ count: string }>(
    `select count(*) from pg_stat_activity where application_name = 'switchyard'`,
  );
  return `CPU in a second: ${perSecond[0]} and ${perSecond[1]} of the nodes, ${perSecond[2]} of PostgreSQL for both, ${asked.toFixed(1)} transactions; ${open.rows[0]?.count} connections open`;
}

/** Points for a user: a transaction of the ledger. A setting: all nodes reload it. */
async function changes(servers: Servers, node: SwitchyardTarget, other: Pid): Promise<string> {
  const { id } = await node.root.api(profile).get();
  const kinds = [
    [
      'points',
      () => node.root.api(users).changeQuota({ params: { id }, body: { quota: toPoints(1), remark: 'bench' } }),
    ],
    [
      'a setting',
      (nth: number) => node.root.api(settings).updateMany({ body: [{ key: 'SystemName', value: `Bench ${nth}` }] }),
    ],
  ] as const;
  const told: string[] = [];
  for (const [name, change] of kinds) {
    const before = cpuOf(servers, node, other);
    const began = performance.now();
    for (let nth = 0; nth < CHANGES; nth += 1) await change(nth);
    const ms = (performance.now() - began) / CHANGES;
    await pause(1_000);
    const [own, others, database] = cpuOf(servers, node, other).map(
      (seconds, nth) => `${(((seconds - (before[nth] ?? 0)) * 1e3) / CHANGES).toFixed(1)} ms`,
    );
    told.push(
      `${name}: ${ms.toFixed(1)} ms; CPU ${own} of its node, ${others} of the other, ${database} of PostgreSQL`,
    );
  }
  return told.join('. ');
}

const cpuOf = ({ postgres }: Servers, node: Pid, other: Pid): number[] => [
  cpuSeconds(node.pid),
  cpuSeconds(other.pid),
  cpuSeconds(postgres.pid),
];

async function readTransactions({ client }: Servers): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    'select sum(xact_commit + xact_rollback) as count from pg_stat_database',
  );
  return Number(rows[0]?.count);
}

/** Storage for as long as the record is kept: the rows of a request, and their indexes. */
const TABLES = ['usage_record', 'ledger_entry'];

async function onPostgres(run: BenchRun, node: SwitchyardTarget, url: string): Promise<string> {
  const requests = await relay(run, node);
  const client = openPostgresPool(url);
  const each: string[] = [];
  // Records are in monthly partitions; their table itself is empty.
  for (const table of TABLES) {
    const { rows } = await client.query<{ rows: string; own: string; indexes: string }>(
      `select (select count(*) from ${table}) as rows, sum(pg_table_size(part)) as own, sum(pg_indexes_size(part)) as indexes
       from (select '${table}'::regclass as part
         union all select inhrelid from pg_inherits where inhparent = '${table}'::regclass) as parts`,
    );
    const [{ rows: count, own, indexes } = { rows: 1, own: 0, indexes: 0 }] = rows;
    const bytes = (value: string | number): string => (Number(value) / Number(count)).toFixed(0);
    each.push(`${table} ${bytes(own)} + indexes ${bytes(indexes)}`);
  }
  await client.end();
  return `${each.join('; ')} bytes, of ${requests} requests`;
}

async function inFile(run: BenchRun): Promise<string> {
  const node = await startNode(run, 'on_disk', {});
  const size = (): number => {
    const db = new DatabaseSync(join(node.folder.dataDir, 'switchyard.db'), { readOnly: true });
    const read = (name: string): number => Number(Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0]);
    const bytes = (read('page_count') - read('freelist_count')) * read('page_size');
    db.close();
    return bytes;
  };
  const before = size();
  const requests = await relay(run, node);
  const bytes = (size() - before) / requests;
  await node.stop();
  return `${bytes.toFixed(0)} bytes with its ledger entry and all indexes, of ${requests} requests`;
}

async function relay(run: BenchRun, node: SwitchyardTarget): Promise<number> {
  let requests = 0;
  while (requests < RECORDS_AT_LEAST)
    requests += (await measureOne(run, node, CONNECTIONS, requestBytes(node))).requests;
  return requests;
}
