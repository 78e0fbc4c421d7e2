/** Opens the database for reports, if there is a replica. */
import { type CompiledQuery, type DatabaseConnection, Kysely, type QueryResult } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import type { ReplicaOptions, SumRollups } from '../database-handle.ts';
import { isForJob } from '../rollups/run-rollup-queries.ts';
import { openPool, openReaderPool } from './pools.ts';
import { createPostgresDialect } from './postgres-dialect.ts';
import { createReplica, type Replica } from './replica.ts';
import { createRollupThread } from './rollup-thread.ts';

/** Timeout of a connection for a lag measurement. */
const MEASURE_CONNECT_MS = 2_000;

export interface ReportDatabase {
  db: Kysely<Schema>;
  sumRollups: SumRollups;
  replica: Replica;
  close(): Promise<void>;
}

interface Primary {
  /** Pool on which the primary's position is measured. */
  pool: pg.Pool;
  readers: pg.Pool;
  slices: SumRollups;
}

export function openReportDatabase(
  { url, maxLagMs, log }: ReplicaOptions,
  { pool, readers, slices }: Primary,
  machine: Clock,
): ReportDatabase {
  const looks = openPool(url, { max: 1, connectionTimeoutMillis: MEASURE_CONNECT_MS });
  const ofReplica = openReaderPool(url);
  const own = createRollupThread(url, machine);
  const replica = createReplica({ pool, measuringPool: looks, maxLagMs, log, onLoss: () => void own.close() }, machine);
  const sumSlices: SumRollups = (task) =>
    // Packed hours are stored, so they must not miss records that a replica has not received yet.
    isForJob(task)
      ? slices(task)
      : replica.read(
          () => own.sum(task),
          () => slices(task),
        );
  return {
    db: createReplicaOrPrimary(replica, ofReplica, readers),
    sumRollups: sumSlices,
    replica,
    async close() {
      await replica.close();
      await own.close();
      await Promise.all([looks.end(), ofReplica.end()]);
    },
  };
}

/** Returns a query builder whose single queries run on the replica or the primary. */
function createReplicaOrPrimary(replica: Replica, ofReplica: pg.Pool, readers: pg.Pool): Kysely<Schema> {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const askedOf = (pool: pg.Pool) => () => pool.query(sql, [...parameters]);
      const { rows } = await replica.read(askedOf(ofReplica), askedOf(readers));
      return { rows };
    },
    streamQuery() {
      throw new Error('Rows are read page by page, never streamed');
    },
  };
  const noTransaction = (): Promise<void> =>
    Promise.reject(new Error('Reports cannot use transactions, because their queries may go to different servers'));
  return new Kysely<Schema>({
    dialect: {
      ...createPostgresDialect(readers),
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => connection,
        beginTransaction: noTransaction,
        commitTransaction: noTransaction,
        rollbackTransaction: noTransaction,
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
    },
  });
}
