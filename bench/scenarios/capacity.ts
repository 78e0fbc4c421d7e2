/**
 * The capacity model of docs/scaling.md: its table, a simulation of each step beside the arithmetic, and the product
 * under three loads beside a simulation of one node with the same costs.
 */
import { createDatabase } from '../../apps/server/src/testing/database-server.ts';
import { requestsOfOneAccount } from '../capacity/closed-form.ts';
import { type Costs, type Load, measuredCosts } from '../capacity/costs-and-load.ts';
import { createChance, exponential } from '../capacity/random.ts';
import { type Simulated, simulate } from '../capacity/simulate.ts';
import {
  BURST,
  lineOf,
  loadOf,
  PER_DAY,
  type Step,
  stepOf,
  timesOfBurst,
  timesOfHour,
} from '../capacity/sizing-table.ts';
import { difference, readMeters } from '../meters.ts';
import { startServers } from '../processes.ts';
import { information, type Row } from '../report.ts';
import { quantile } from '../statistics.ts';
import { PROMPT } from '../targets/target-and-requests.ts';
import type { BenchRun } from './bench-run.ts';
import { startNode } from './postgres-and-redis.ts';

const SEED = 1;
const WITHIN = 0.15;
/** The duration of a response only determines the number of open streams; a shorter one ends the simulation sooner. */
const UPSTREAM_MS = 1_000;
const SIMULATED_REQUESTS = 40_000;
const HOURS = [3, 9, 15, 21];

const REAL_PER_SECOND = [20, 100, 300];
const REAL_MS = 10_000;
const WHOLE_ANSWERS_OF_ONE_USER = { streamShare: 0, events: 0, upstreamMs: 1, users: 1, zipf: 1, channels: 1 };

export async function measureCapacity(run: BenchRun): Promise<Row[]> {
  const steps = PER_DAY.map(stepOf);
  for (const step of steps) console.log(lineOf(step));
  console.log(`one account: ${requestsOfOneAccount(measuredCosts).toFixed(0)} requests a second`);
  return [...steps.map(beside), ...daily(), ...balanced(), ...(await besideReality(run))];
}

function course(perSecond: number) {
  const ms = Math.min(60_000, (SIMULATED_REQUESTS / perSecond) * 1_000);
  return { seed: SEED, warmUpMs: Math.max(ms / 2, 2 * UPSTREAM_MS), measuredMs: ms };
}

function simulateAt(load: Load, installation: Step['installation']): Simulated {
  const asked = { ...load, upstreamMs: UPSTREAM_MS };
  return simulate(asked, measuredCosts, installation, course(load.requestsPerSecond));
}

/** Returns the arithmetic's figure, the simulation's, and whether they agree. */
function beside({ perDay, load, installation, forecast }: Step): Row {
  const simulated = simulateAt(load, installation);
  const pairs: [string, number, number][] = [
    ['movements a commit', forecast.movementsPerCommit, simulated.movements / simulated.commits],
    ['nodes', forecast.nodeUtilisation, meanNode(simulated, installation.nodes, load)],
    ['database', forecast.databaseUtilisation, simulated.databaseUtilisation],
  ];
  const worst = Math.max(...pairs.slice(1).map(([, expected, found]) => Math.abs(found / expected - 1)));
  // There the arithmetic is about parts, not about an installation.
  const isBeyond = load.requestsPerSecond > requestsOfOneAccount(measuredCosts);
  return {
    what: `${perDay.toLocaleString('en')} requests a day, arithmetic and simulation`,
    wanted: `utilisation within ${WITHIN * 100} %`,
    measured: `${pairs.map(([name, expected, found]) => `${name} ${expected.toFixed(3)} and ${found.toFixed(3)}`).join('; ')}; ${describe(simulated)}`,
    verdict: isBeyond ? 'for information' : worst <= WITHIN ? 'met' : 'missed',
  };
}

const meanNode = ({ nodeSeconds }: Simulated, nodes: number, { requestsPerSecond }: Load): number =>
  nodeSeconds / nodes / (course(requestsPerSecond).measuredMs / 1_000);

const describe = ({ waits, commitMs, nodeUtilisation }: Simulated): string =>
  `waits p50 ${quantileOf(waits, 0.5)} ms, p99 ${quantileOf(waits, 0.99)} ms; commit ${commitMs.toFixed(1)} ms; fullest node ${(nodeUtilisation * 100).toFixed(0)} %`;

const quantileOf = (waits: Float64Array, share: number): string => quantile([...waits], share).toFixed(1);

/** Ten million requests a day at four hours, with their bursts. */
function daily(): Row[] {
  const perDay = 1e7;
  const { installation } = stepOf(perDay);
  const hours = HOURS.map((hour) => {
    const load = { ...loadOf(perDay, timesOfHour(hour)), upstreamMs: UPSTREAM_MS };
    if (load.requestsPerSecond < 1) return `${hour}:00 nearly nothing`;
    const simulated = simulate(load, measuredCosts, installation, {
      ...course(load.requestsPerSecond),
      measuredMs: 60_000,
      times: timesOfBurst,
      mostTimes: BURST,
    });
    return `${hour}:00 ${describe(simulated)}`;
  });
  return [information('the hours of a day, ten million requests', hours.join('; '))];
}

/** All nodes wait for one account's row, compared with an installation without such an account. */
function balanced(): Row[] {
  const { load, installation } = stepOf(1e8);
  const ways = [
    ['any node', load, installation],
    ["each user's own node", load, { ...installation, isByUser: true }],
    ['any node, users that ask equally often', { ...load, zipf: 0 }, installation],
    ['the same with 1,000 channels', { ...load, zipf: 0, channels: 1_000 }, installation],
  ] as const;
  const seconds = course(load.requestsPerSecond).measuredMs / 1_000;
  return ways.map(([name, asked, among]) => {
    const simulated = simulateAt(asked, among);
    const measured = `${(simulated.answered / seconds).toFixed(0)} answered of ${(simulated.arrived / seconds).toFixed(0)} a second, ${(simulated.movements / simulated.commits).toFixed(0)} movements a commit, ${describe(simulated)}`;
    return information(`100,000,000 requests a day, ${name}`, measured);
  });
}

async function besideReality(run: BenchRun): Promise<Row[]> {
  const servers = await startServers();
  try {
    const node = await startNode(run, 'real', { DATABASE_URL: await createDatabase(servers.postgres, 'reality') });
    const request = {
      method: 'POST',
      headers: { ...node.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content: PROMPT }] }),
    };
    const ask = () => fetch(`http://127.0.0.1:${node.port}/v1/chat/completions`, request);
    await arrivals(300, REAL_MS, ask);
    const rows: Row[] = [];
    for (const perSecond of REAL_PER_SECOND) {
      const before = await readMeters(servers, node);
      const { asked, p50 } = await arrivals(perSecond, REAL_MS, ask);
      const real = difference(await readMeters(servers, node), before);
      const load = { ...WHOLE_ANSWERS_OF_ONE_USER, requestsPerSecond: perSecond };
      const one = { nodes: 1, databaseCores: 2 };
      const commitMs = (real.commitSeconds * 1_000) / real.commits;
      const costs = waitingAsLong(commitMs, (2 * asked) / real.commits);
      const expected = simulate(load, costs, one, { seed: SEED, warmUpMs: 1_000, measuredMs: REAL_MS });
      const compare = (name: string, found: number, forecast: number): string =>
        `${name} ${found.toPrecision(3)} against ${forecast.toPrecision(3)} (${(found / forecast).toFixed(2)} ×)`;
      const measured = [
        compare('requests', asked, expected.arrived),
        compare('movements a commit', (2 * asked) / real.commits, expected.movements / expected.commits),
        compare('CPU seconds of the node', real.nodeSeconds, expected.nodeSeconds),
        compare('of PostgreSQL', real.databaseSeconds, expected.databaseSeconds),
        `a commit took ${commitMs.toFixed(1)} ms`,
        `p50 ${p50.toFixed(1)} ms`,
        `simulated wait p50 ${quantileOf(expected.waits, 0.5)} ms`,
      ].join('; ');
      rows.push(information(`${perSecond} requests a second at random, the product against its simulation`, measured));
    }
    await node.stop();
    return rows;
  } finally {
    await servers.close();
  }
}

/** A commit's time on this machine, where other load delays it, is none of the model's costs. */
function waitingAsLong(commitMs: number, movements: number): Costs {
  const { commitMicros, movementMicros, flushMs } = measuredCosts.database;
  const cpuMs = (commitMicros + movements * movementMicros) / 1_000;
  const roundTripsMs = Math.max(measuredCosts.database.lastRoundTripsMs, commitMs - cpuMs - flushMs);
  return { ...measuredCosts, database: { ...measuredCosts.database, roundTripsMs } };
}

/** Sends requests at random times, regardless of earlier responses. */
async function arrivals(
  perSecond: number,
  ms: number,
  ask: () => Promise<Response>,
): Promise<{ asked: number; p50: number }> {
  const chance = createChance(SEED);
  const until = performance.now() + ms;
  const answers: Promise<number>[] = [];
  const once = async (): Promise<number> => {
    const began = performance.now();
    const answer = await ask();
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`A request was answered with ${answer.status}`);
    return performance.now() - began;
  };
  for (let next = performance.now(); next < until; next += exponential(chance, 1_000 / perSecond)) {
    const pause = next - performance.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const answer = once();
    // Rejections are thrown below.
    answer.catch(() => {});
    answers.push(answer);
  }
  const times = await Promise.all(answers);
  return { asked: times.length, p50: quantile(times, 0.5) };
}
