/**
 * The time by which every node on one PostgreSQL database runs: the database's. Between two measurements it goes on by the
 * machine's stopwatch, so that whoever sets the machine's clock, or never set it, changes nothing.
 */
import type { Pool } from 'pg';
import { type Clock, extractTimers } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { startRepeating } from '../platform/repeat.ts';
import type { Database } from './database.ts';

const MEASURE_MS = 5_000;
/** A clock that is wrong by more is told of; the database's is followed back by more, and waited for by less. */
const SKEW_WARNING_MS = 5_000;

export interface DatabaseClock extends Clock {
  /** Milliseconds by which the machine's clock is ahead. */
  readonly machineAheadMs: number;
  /** Goes on measuring. Returns what ends that. */
  startMeasuring(): () => Promise<void>;
}

/** @param machine whose clock may say anything @returns undefined where the machine's clock is the only one */
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
  const tell = (): void => {
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
    tell();
  };
  tell();
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
  /** When it was that, by the machine's stopwatch. */
  at: number;
  /** Milliseconds by which it may be wrong, as nobody knows which part of the way took how long. */
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
    // A connection that may be broken is not given to the next one.
    client.release(failure);
  }
}
