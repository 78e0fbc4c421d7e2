/**
 * An installation under load, event by event: requests arrive at random, wait for their node's one thread, for the
 * commit that holds their points, for the rows that other commits have locked, for the database's cores and its log,
 * and again when they are settled. It only uses the costs of each part in `costs-and-load.ts`; the interaction is the result.
 */
import { BATCH_MAX, COMMITS_AT_ONCE, SECOND_COMMIT_MIN } from '../../apps/server/src/ledger/multi-node/commit-queue.ts';
import type { Costs, Installation, Load } from './costs-and-load.ts';
import { createEventQueue, type EventQueue } from './event-queue.ts';
import { type Chance, createChance, createZipf, exponential } from './random.ts';
import { type Cores, createCores, createFlushes, createRows } from './resources.ts';

export interface Simulated {
  arrived: number;
  answered: number;
  /** Still running at the end of the simulation. */
  open: number;
  movements: number;
  commits: number;
  /** Utilisation of the busiest node's thread, and of the database's cores: 0 to 1. */
  nodeUtilisation: number;
  databaseUtilisation: number;
  /** CPU of all nodes and of the database, seconds. */
  nodeSeconds: number;
  databaseSeconds: number;
  /** Milliseconds that a request has waited before its upstream request. */
  waits: Float64Array;
  /** Duration of a commit, from its first statement to its response. */
  commitMs: number;
  openStreamsMost: number;
}

export interface Course {
  seed: number;
  /** Warm-up, which does not count. */
  warmUpMs: number;
  measuredMs: number;
  /** Factor of the load's rate at a given time in ms; at most `mostTimes`. */
  times?: (ms: number) => number;
  mostTimes?: number;
}

interface Movement {
  user: number;
  /** Additional cost of a settlement, which also writes its channel's row. */
  channel: number | undefined;
  done: () => void;
}

interface Counts {
  arrived: number;
  answered: number;
  movements: number;
  commits: number;
  commitMs: number;
  waits: number[];
  openStreams: number;
  openStreamsMost: number;
}

/** Events that are processed together, so that a stream is some steps and not hundreds. */
const EVENTS_TOGETHER = 20;
/** Users and channels are rows of one list. */
const CHANNEL_ROWS_FROM = 1_000_000_000;

export function simulate(load: Load, costs: Costs, installation: Installation, course: Course): Simulated {
  const queue = createEventQueue();
  const chance = createChance(course.seed);
  const counts = noCounts();
  const cores = createCores(queue, installation.databaseCores);
  const commit = createDatabase(queue, cores, costs);
  const nodes = Array.from({ length: installation.nodes }, () => {
    const thread = createCores(queue, 1);
    return { thread, add: createCommitQueue(thread, queue, costs, commit, counts) };
  });
  const nextUser = createZipf(chance, load.users, load.zipf);
  const request = (): void => {
    const user = nextUser();
    const any = Math.floor(chance() * nodes.length);
    const node = nodes[installation.isByUser === true ? user % nodes.length : any];
    if (node !== undefined) relay(queue, chance, node, load, costs, counts, user);
  };
  beginArrivals(queue, chance, load.requestsPerSecond, course, request);

  queue.runUntil(course.warmUpMs);
  const openBefore = counts.arrived - counts.answered;
  Object.assign(counts, { ...noCounts(), openStreams: counts.openStreams });
  const busyBefore = nodes.map(({ thread }) => thread.busyMs());
  const coresBefore = cores.busyMs();
  queue.runUntil(course.warmUpMs + course.measuredMs);
  const busy = nodes.map(({ thread }, nth) => thread.busyMs() - (busyBefore[nth] ?? 0));
  const idleMs = (installation.nodes * costs.database.idleNodeMicros * course.measuredMs) / 1e6;
  const databaseMs = cores.busyMs() - coresBefore + idleMs;
  return {
    arrived: counts.arrived,
    answered: counts.answered,
    open: openBefore + counts.arrived - counts.answered,
    movements: counts.movements,
    commits: counts.commits,
    nodeUtilisation: Math.max(...busy) / course.measuredMs,
    databaseUtilisation: databaseMs / course.measuredMs / installation.databaseCores,
    nodeSeconds: busy.reduce((sum, ms) => sum + ms, 0) / 1_000,
    databaseSeconds: databaseMs / 1_000,
    waits: Float64Array.from(counts.waits).toSorted(),
    commitMs: counts.commitMs / counts.commits,
    openStreamsMost: counts.openStreamsMost,
  };
}

function noCounts(): Counts {
  return {
    arrived: 0,
    answered: 0,
    movements: 0,
    commits: 0,
    commitMs: 0,
    waits: [],
    openStreams: 0,
    openStreamsMost: 0,
  };
}

/** Drops arrivals at random, so that the rate varies in time. */
function beginArrivals(
  queue: EventQueue,
  chance: Chance,
  perSecond: number,
  { times = () => 1, mostTimes = 1 }: Course,
  request: () => void,
): void {
  const next = (): void => {
    queue.after(exponential(chance, 1_000 / (perSecond * mostTimes)), () => {
      if (chance() * mostTimes < times(queue.now)) request();
      next();
    });
  };
  next();
}

function relay(
  queue: EventQueue,
  chance: Chance,
  { thread, add }: { thread: Cores; add: (movement: Movement) => void },
  load: Load,
  { node }: Costs,
  counts: Counts,
  user: number,
): void {
  const arrivedAt = queue.now;
  const half = node.requestMicros / 2_000;
  const isStream = chance() < load.streamShare;
  const channel = CHANNEL_ROWS_FROM + Math.floor(chance() * load.channels);
  counts.arrived += 1;

  const settle = (): void => {
    if (isStream) counts.openStreams -= 1;
    add({ user, channel, done: () => void (counts.answered += 1) });
  };
  const stream = (left: number, pauseMs: number): void => {
    const events = Math.min(EVENTS_TOGETHER, left);
    queue.after(pauseMs, () =>
      thread.use((events * node.eventMicros) / 1_000, () =>
        left === events ? thread.use(half, settle) : stream(left - events, pauseMs),
      ),
    );
  };
  const ask = (): void => {
    counts.waits.push(queue.now - arrivedAt);
    const upstreamMs = exponential(chance, load.upstreamMs);
    if (!isStream) {
      queue.after(upstreamMs, () => thread.use(half, settle));
      return;
    }
    counts.openStreams += 1;
    counts.openStreamsMost = Math.max(counts.openStreamsMost, counts.openStreams);
    stream(load.events, upstreamMs / Math.ceil(load.events / EVENTS_TOGETHER));
  };
  thread.use(half, () => add({ user, channel: undefined, done: ask }));
}

type Commit = (batch: readonly Movement[], then: () => void) => void;

/** Like `commit-queue.ts`: movements that arrive during a commit wait for the next one. */
function createCommitQueue(
  thread: Cores,
  queue: EventQueue,
  { node }: Costs,
  commit: Commit,
  counts: Counts,
): (movement: Movement) => void {
  let waiting: Movement[] = [];
  let running = 0;
  const work = (): void => {
    const batch = waiting.slice(0, BATCH_MAX);
    if (batch.length === 0) {
      running -= 1;
      return;
    }
    waiting = waiting.slice(BATCH_MAX);
    const began = queue.now;
    thread.use((node.commitMicros + batch.length * node.movementMicros) / 1_000, () =>
      commit(batch, () => {
        counts.commits += 1;
        counts.movements += batch.length;
        counts.commitMs += queue.now - began;
        for (const { done } of batch) done();
        work();
      }),
    );
  };
  return (movement) => {
    waiting.push(movement);
    if (running === COMMITS_AT_ONCE || (running > 0 && waiting.length < SECOND_COMMIT_MIN)) return;
    running += 1;
    work();
  };
}

/** Locks the accounts, works, locks the channels, waits for the log, and releases all locks. */
function createDatabase(queue: EventQueue, cores: Cores, { database }: Costs): Commit {
  const rows = createRows();
  const flush = createFlushes(queue, database.flushMs);
  return (batch, then) => {
    const accounts = ascending(batch.map(({ user }) => user));
    const channels = ascending(batch.flatMap(({ channel }) => (channel === undefined ? [] : [channel])));
    const cpuMs = (database.commitMicros + batch.length * database.movementMicros) / 1_000;
    const end = (): void => {
      rows.release(accounts);
      rows.release(channels);
      then();
    };
    const write = (): void => queue.after(database.lastRoundTripsMs, () => flush(end));
    rows.lock(accounts, () =>
      cores.use(cpuMs, () =>
        queue.after(database.roundTripsMs - database.lastRoundTripsMs, () => rows.lock(channels, write)),
      ),
    );
  };
}

const ascending = (names: readonly number[]): number[] => [...new Set(names)].toSorted((a, b) => a - b);
