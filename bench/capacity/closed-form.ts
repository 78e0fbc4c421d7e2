/**
 * The capacity model as plain arithmetic: utilisation of each part under a load, and the number of movements in a
 * commit. docs/scaling.md explains it, `simulate.ts` checks it.
 */
import { BATCH_MAX, SECOND_COMMIT_MIN } from '../../apps/server/src/ledger/multi-node/commit-queue.ts';
import type { Costs, Installation, Load } from './costs-and-load.ts';

export interface Forecast {
  movementsPerCommit: number;
  commitsPerSecond: number;
  /** From the first statement of a commit to its response, without waiting for rows or cores. */
  commitMs: number;
  /** Utilisation of a node's thread, of the database's cores, of Redis's thread: 0 to 1, or more if overloaded. */
  nodeUtilisation: number;
  databaseUtilisation: number;
  redisUtilisation: number;
  /** Share of time for which the busiest account's row is locked by commits of minimum size; above 1 they wait. */
  hotRowUtilisation: number;
  logBytesPerSecond: number;
  openStreams: number;
  /** Resident memory of a node. */
  nodeBytes: number;
  connections: number;
}

const MOVEMENTS = 2;
/** The equation has its solution within few steps, or none below the largest batch. */
const STEPS = 200;

export function forecast(load: Load, costs: Costs, { nodes, databaseCores }: Installation): Forecast {
  const { node, database, redis } = costs;
  const requests = load.requestsPerSecond;
  const movements = MOVEMENTS * requests;
  const alone = batchOf(movements / nodes, (n) => commitMs(costs, n));
  const busiest = shareOfBusiest(load);
  /** Share of a second for which commits of n movements lock the busiest account's row. */
  const locked = (n: number): number => (movements / n) * (1 - (1 - busiest) ** n) * (lockedMs(costs, n) / 1_000);
  const hotRowUtilisation = locked(alone);
  // If nodes wait for a row, a commit contains what arrived while each of them had its turn.
  const inTurns = solve((n) => n * locked(n));
  const movementsPerCommit = Math.min(BATCH_MAX, Math.max(alone, inTurns));
  const commitsPerSecond = movements / movementsPerCommit;
  const nodeMicros =
    requests * (node.requestMicros + load.streamShare * load.events * node.eventMicros) +
    commitsPerSecond * node.commitMicros +
    movements * node.movementMicros;
  const databaseMicros =
    commitsPerSecond * database.commitMicros + movements * database.movementMicros + nodes * database.idleNodeMicros;
  const openStreams = requests * load.streamShare * (load.upstreamMs / 1_000);
  return {
    movementsPerCommit,
    commitsPerSecond,
    commitMs: commitMs(costs, movementsPerCommit),
    nodeUtilisation: nodeMicros / 1e6 / nodes,
    databaseUtilisation: databaseMicros / 1e6 / databaseCores,
    redisUtilisation: (requests * redis.requestMicros) / 1e6,
    hotRowUtilisation,
    logBytesPerSecond: commitsPerSecond * database.commitLogBytes + requests * database.requestLogBytes,
    openStreams,
    nodeBytes: node.baseBytes + (openStreams / nodes) * node.streamBytes,
    connections: nodes * node.connections,
  };
}

/** Requests per second over all nodes, each of which changes one account, whose row one commit at a time can lock. */
export function requestsOfOneAccount(costs: Costs): number {
  return (BATCH_MAX / MOVEMENTS / lockedMs(costs, BATCH_MAX)) * 1_000;
}

/** Returns for how many ms a commit of n movements locks the rows of accounts. */
function lockedMs({ database }: Costs, n: number): number {
  const cpuMs = (database.commitMicros + n * database.movementMicros) / 1_000;
  return cpuMs + database.roundTripsMs + database.flushMs;
}

function commitMs(costs: Costs, n: number): number {
  return (costs.node.commitMicros + n * costs.node.movementMicros) / 1_000 + lockedMs(costs, n);
}

/** Share of the busiest user's requests. */
function shareOfBusiest({ users, zipf }: Load): number {
  let weights = 0;
  for (let nth = 1; nth <= users; nth += 1) weights += nth ** -zipf;
  return 1 / weights;
}

/**
 * Movements of a commit on a node with a given rate: those that arrived during the previous commit, or the first one
 * after an idle time. From a tenth of the maximum on, two commits run concurrently.
 */
function batchOf(perSecond: number, ms: (n: number) => number): number {
  const came = (n: number): number => (perSecond / 1_000) * ms(n);
  const one = solve((n) => came(n) + Math.exp(-came(n)));
  return one <= SECOND_COMMIT_MIN
    ? one
    : Math.max(
        SECOND_COMMIT_MIN,
        solve((n) => came(n) / 2),
      );
}

/** Fixed point of n; the largest batch if it grows beyond. */
function solve(next: (n: number) => number): number {
  let n = 1;
  for (let step = 0; step < STEPS; step += 1) n = Math.min(BATCH_MAX, (n + Math.max(1, next(n))) / 2);
  return n;
}
