/**
 * Clock that all nodes on one PostgreSQL database share: the database's. Between two measurements it advances by the
 * machine's stopwatch, so that changes of the machine's clock have no effect.
 */
import type { Pool } from 'pg';
import { type Clock, extractTimers } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { startRepeating } from '../platform/timeouts-and-intervals.ts';
import type { Database } from './database-handle.ts';

const MEASURE_MS = 5_000;
/**
 * Maximum skew of the machine's clock without a warning. A larger jump back of the database's clock is followed; for
 * a smaller one, time stands still until the database catches up.
 */
const SKEW_WARNING_MS = 5_000;

export interface DatabaseClock extends Clock {
  readonly machineAheadMs: number;
  /** Repeats the measurement regularly. Returns a function that stops it. */
  startMeasuring(): () => Promise<void>;
}

/**
 * @param machine whose time of day may be wrong @returns undefined for SQLite, where the machine's clock is the only
 * one
 */
export async function openDatabaseClock(
  { engine }: Pick<Database, 'engine'>,
  log: Log,
  machine: Clock,
): Promise<DatabaseClock | undefined> {
  if (engine.kind === 'sqlite') return undefined;
  const { pool } = engine;
  let { time, at } = await measure(pool, machine);
  let isOff = false;
  let shown = time;

  const now = (): number => {
    const goneOn = time + machine.elapsed() - at;
    if (goneOn > shown || goneOn < shown - SKEW_WARNING_MS) shown = goneOn;
    return Math.floor(shown);
  };
  const reportOffset = (): void => {
    const seconds = Math.round((machine.now() - now()) / 1000);
    if (isOff === Math.abs(seconds) * 1000 > SKEW_WARNING_MS) return;
    isOff = !isOff;
    if (isOff) log.warn({ seconds }, "this machine's clock differs from the database's, which is used instead");
    else log.info("this machine's clock agrees with the database's again");
  };
  const correct = async (): Promise<void> => {
    const measured = await measure(pool, machine);
    const difference = measured.time - (time + measured.at - at);
    if (Math.abs(difference) > SKEW_WARNING_MS)
      log.warn({ seconds: Math.round(difference / 1000) }, "the database's clock was changed; this node follows it");
    if (Math.abs(difference) > measured.uncertaintyMs) ({ time, at } = measured);
    reportOffset();
  };
  reportOffset();
  return {
    ...extractTimers(machine),
    now,
    elapsed: () => machine.elapsed(),
    get machineAheadMs() {
      return machine.now() - now();
    },
    startMeasuring() {
      const measurements = startRepeating(machine, MEASURE_MS, correct, (error) =>
        log.warn({ err: error }, "the database's clock could not be read"),
      );
      return () => measurements.stop();
    },
  };
}

interface Measurement {
  /** UTC milliseconds. */
  time: number;
  /** Stopwatch time of the measurement. */
  at: number;
  /** Maximum error in milliseconds, because the network delay of each direction is unknown. */
  uncertaintyMs: number;
}

const NOW = 'select extract(epoch from clock_timestamp())::double precision * 1000 as time';

async function measure(pool: Pool, machine: Clock): Promise<Measurement> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    const began = machine.elapsed();
    const { rows } = await client.query<{ time: number }>(NOW);
    const doubt = (machine.elapsed() - began) / 2;
    const [row] = rows;
    if (row === undefined) throw new Error('the database returned no time');
    return { time: row.time, at: began + doubt, uncertaintyMs: doubt };
  } catch (error) {
    failure = error instanceof Error ? error : new Error('The time could not be read', { cause: error });
    throw failure;
  } finally {
    // Closes a connection that may be broken instead of returning it to the pool.
    client.release(failure);
  }
}
