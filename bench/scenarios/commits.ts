/**
 * Costs of a ledger's commit without its movements, and of each movement: commits of known sizes, in
 * this process, fitted by a line. On PostgreSQL with two kinds of accounts: many, and one that all requests share.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../apps/server/src/db/open-database.ts';
import { emptyRecord, type Ledger, openLedger } from '../../apps/server/src/ledger/ledger.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { createDatabase } from '../../apps/server/src/testing/database-server.ts';
import { walBytes } from '../meters.ts';
import { cpuSeconds, type Servers, startServers } from '../processes.ts';
import { information, type Row } from '../report.ts';
import { fitLine, median } from '../statistics.ts';
import type { BenchRun } from './bench-run.ts';

/** Concurrent requests: half of the movements are holds, half are settlements, in separate commits. */
const SIZES = [1, 10, 50, 200, 500];
const REQUESTS_PER_ROUND = 1_500;
/** Number of commits of each size in a round. */
const TIMES_LEAST = 20;
const TIMES_MOST = 150;
const USERS = 1_000;
const KEYS_FROM = 100_000;
const PLENTY = 1_000_000_000;
/** Details of a call; their length is the relay's for one attempt. */
const DETAIL = JSON.stringify({ padding: 'x'.repeat(600) });

/** Cost of a commit with so many movements. */
interface Sample {
  movements: number;
  ms: number;
  ownMicros: number;
  databaseMicros: number;
  walBytes: number;
}

export async function measureCommits(run: BenchRun): Promise<Row[]> {
  const servers = await startServers();
  try {
    const rows: Row[] = [];
    const places = [
      ['own file', join(run.folder, 'commits.db'), USERS],
      ['PostgreSQL', await createDatabase(servers.postgres, 'commits'), USERS],
      ['PostgreSQL, one account', await createDatabase(servers.postgres, 'one_account'), 1],
    ] as const;
    for (const [name, place, users] of places) {
      const dataDir = join(run.folder, `commits-${rows.length}`);
      mkdirSync(dataDir);
      const db = await openDatabase(place);
      const ledger = await openLedger(db, systemClock, silentLog, dataDir);
      const samples = await measureSizes(servers, ledger, users, run.rounds);
      rows.push(information(`commits, ${name}`, describe(samples)));
      await ledger.close();
      await db.close();
    }
    return rows;
  } finally {
    await servers.close();
  }
}

async function measureSizes(servers: Servers, ledger: Ledger, users: number, rounds: number): Promise<Sample[]> {
  await ledger.transaction(async (_trx, moves) => {
    for (let id = 1; id <= users; id += 1) {
      await moves.openUserAccount(id);
      await moves.openKeyAccount(KEYS_FROM + id, id, 0);
      await moves.post({ kind: 'adjust', ref: `bench-${id}`, userId: id, amount: PLENTY, note: '' });
    }
  });
  const samples: Sample[] = [];
  let made = 0;
  for (let round = 0; round <= rounds; round += 1)
    for (const size of SIZES) {
      const times = Math.min(TIMES_MOST, Math.max(TIMES_LEAST, Math.floor(REQUESTS_PER_ROUND / size)));
      const before = await read(servers);
      for (let nth = 0; nth < times; nth += 1) {
        await relayAtOnce(ledger, users, made, size);
        made += size;
      }
      const after = await read(servers);
      const each = (name: keyof typeof after): number => (after[name] - before[name]) / (2 * times);
      // The first round warms up.
      if (round > 0)
        samples.push({
          movements: size,
          ms: each('ms'),
          ownMicros: each('ownMicros'),
          databaseMicros: each('databaseMicros'),
          walBytes: each('walBytes'),
        });
    }
  return samples;
}

/** Holds of so many requests in one commit, and their settlements in another. */
async function relayAtOnce(ledger: Ledger, users: number, from: number, size: number): Promise<void> {
  const requests = Array.from({ length: size }, (_, nth) => from + nth);
  const userOf = (request: number): number => 1 + (request % users);
  const held = await Promise.all(
    requests.map((request) =>
      ledger.hold({
        requestId: `bench-request-${request}`,
        userId: userOf(request),
        apiKeyId: KEYS_FROM + userOf(request),
        limited: false,
        amount: 10,
      }),
    ),
  );
  if (held.some((answer) => !answer.held)) throw new Error('a hold was refused');
  await Promise.all(
    requests.map((request) =>
      ledger.settle(`bench-request-${request}`, 7, {
        ...emptyRecord,
        request_id: `bench-request-${request}`,
        created_at: Math.floor(Date.now() / 1000),
        type: 'consume',
        user_id: userOf(request),
        api_key_id: KEYS_FROM + userOf(request),
        channel_id: 1 + (request % 10),
        model: `model-${request % 20}`,
        group_symbol: 'default',
        quota: 7,
        detail: DETAIL,
      }),
    ),
  );
}

async function read({ postgres, client }: Servers) {
  const own = process.cpuUsage();
  return {
    ms: performance.now(),
    ownMicros: own.user + own.system,
    databaseMicros: cpuSeconds(postgres.pid) * 1e6,
    walBytes: await walBytes(client),
  };
}

function describe(samples: readonly Sample[]): string {
  const line = (name: Exclude<keyof Sample, 'movements'>): string => {
    const points = SIZES.map((size): [number, number] => [
      size,
      median(samples.filter(({ movements }) => movements === size).map((sample) => sample[name])),
    ]);
    const { slope, intercept } = fitLine(points);
    return `${intercept.toFixed(1)} + ${slope.toFixed(2)} n (${points.map(([size, value]) => `${size}: ${value.toFixed(1)}`).join(', ')})`;
  };
  return [
    `ms ${line('ms')}`,
    `CPU µs of this process ${line('ownMicros')}`,
    `CPU µs of PostgreSQL ${line('databaseMicros')}`,
    `bytes of its log ${line('walBytes')}`,
  ].join('; ');
}
