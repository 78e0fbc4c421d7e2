/**
 * Streaming replica for reports. It is used while its lag is known to be within the limit; otherwise, and whenever it
 * fails, the primary answers.
 */
import type { ReplicaStatus } from '@switchyard/contract/operations/system-info';
import type pg from 'pg';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { startRepeating } from '../../platform/timeouts-and-intervals.ts';
import type { ReplicaOptions, ReplicaState } from '../database-handle.ts';

const MEASURE_MS = 500;
const MEASURE_TIMEOUT_MS = 2_000;
/** Maximum number of marks, which limits how long the replica may be away with its lag still known. */
const MARKS_MAX = 7_200;

/** Error codes of a query that took too long. It is not repeated on the primary. */
const timeoutCodes = new Set(['57014', 'too-slow']);
const TIMEOUT_MESSAGE = 'Query read timeout';

const POSITION = `select pg_current_wal_lsn() - '0/0'::pg_lsn as position, current_database() as name,
  (select system_identifier::text from pg_control_system()) as cluster`;
const REPLAYED = `select pg_is_in_recovery() as replays, current_database() as name,
  coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0'::pg_lsn as position,
  (select system_identifier::text from pg_control_system()) as cluster`;

const position = z.object({ position: z.number(), name: z.string(), cluster: z.string() });
const replayed = position.extend({ replays: z.number() });

export interface Replica {
  readonly state: ReplicaState;
  /** @throws an error of the primary, or one that the query took too long */
  read<T>(onReplica: () => Promise<T>, onPrimary: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface FollowOptions extends Pick<ReplicaOptions, 'maxLagMs' | 'log'> {
  pool: pg.Pool;
  /** Pool of one connection to the replica, so that reports don't delay the lag measurements. */
  measuringPool: pg.Pool;
  /** Called when the replica is lost, because its connections may be in the middle of a query. */
  onLoss: () => void;
}

export function createReplica({ pool, measuringPool, onLoss, maxLagMs, log }: FollowOptions, machine: Clock): Replica {
  const lag = createLagTracker();
  let use: ReplicaStatus | undefined;
  let lagMs: number | undefined;
  let fallbacks = 0;
  const losses = new Set<(reason: Error) => void>();

  const become = (next: ReplicaStatus, error?: unknown): void => {
    if (next === use) return;
    const isBack = next === 'in-use';
    use = next;
    if (isBack) log.info({ lag_ms: lagMs }, 'reports are read from the replica');
    else log.warn({ err: error, replica: next, lag_ms: lagMs }, 'reports are read from the primary');
    if (next !== 'away') return;
    for (const lose of losses) lose(new Error('The replica does not respond'));
    onLoss();
  };
  const look = async (): Promise<void> => {
    // While the primary is unreachable, no write is known to be missing.
    const primary = await queryOne(pool, POSITION, position);
    const markedAt = machine.elapsed();
    const replica = await queryOne(measuringPool, REPLAYED, replayed).catch((error: unknown) => {
      lagMs = undefined;
      become('away', error);
    });
    if (replica === undefined) return lag.mark(markedAt, primary.position);
    if (replica.replays === 0 || replica.cluster !== primary.cluster || replica.name !== primary.name) {
      lagMs = undefined;
      return become('unfit');
    }
    lag.mark(markedAt, primary.position);
    lagMs = lag.of(replica.position);
    // A replica that was too far behind must be well within the limit first, so that reports do not alternate.
    const most = use === 'in-use' ? maxLagMs : maxLagMs / 2;
    become(lagMs !== undefined && lagMs <= most ? 'in-use' : 'behind');
  };
  const looking = startRepeating(machine, MEASURE_MS, look, (error) =>
    log.warn({ err: error }, 'the lag of the replica could not be measured'),
  );
  void looking.runNow();

  return {
    get state() {
      return { use: use ?? 'away', lagMs, fallbacks };
    },
    async read(onReplica, onPrimary) {
      if (use !== 'in-use') return onPrimary();
      try {
        return await rejectWhenLost(losses, onReplica);
      } catch (error) {
        if (isTooSlow(error)) throw error;
        fallbacks += 1;
        log.warn({ err: error }, 'the replica failed to deliver a report; the primary was used instead');
        return onPrimary();
      }
    },
    close: () => looking.stop(),
  };
}

async function queryOne<T extends z.ZodType>(pool: pg.Pool, text: string, shape: T): Promise<z.output<T>> {
  const query = { text, query_timeout: MEASURE_TIMEOUT_MS };
  const { rows } = await pool.query<Record<string, unknown>>(query);
  return shape.parse(rows[0]);
}

/** Runs work, and rejects it as soon as the replica is known to be unreachable. */
function rejectWhenLost<T>(losses: Set<(reason: Error) => void>, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    losses.add(reject);
    work()
      .then(resolve, reject)
      .finally(() => losses.delete(reject));
  });
}

function isTooSlow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return timeoutCodes.has(code) || error.message === TIMEOUT_MESSAGE;
}

interface Mark {
  /** Stopwatch time in milliseconds. */
  at: number;
  position: number;
}

/**
 * Creates a tracker that measures the replica's lag by this process's clock alone: how long ago the primary was at
 * the replica's position. A primary without writes keeps its position, so the lag is 0.
 */
export function createLagTracker() {
  const marks: Mark[] = [];
  return {
    mark(at: number, where: number): void {
      marks.push({ at, position: where });
      if (marks.length > MARKS_MAX) marks.shift();
    },
    /** Returns the lag in milliseconds before the last mark; undefined for a position before the first mark. */
    of(where: number): number | undefined {
      const reached = marks.findLastIndex((mark) => mark.position <= where);
      if (reached === -1) return undefined;
      marks.splice(0, reached);
      const [oldest] = marks;
      return (marks.at(-1)?.at ?? 0) - (oldest?.at ?? 0);
    },
  };
}
