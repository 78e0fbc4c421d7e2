/**
 * Threads that run statements of SQLite. Node.js cannot interrupt such a statement, which may take minutes: neither the
 * termination of the thread nor `process.exit`, which waits for all threads.
 */
import type { Worker } from 'node:worker_threads';
import { sleep, type Timers } from './clock.ts';
import type { Log } from './log.ts';
import { waitAtMost } from './timeouts-and-intervals.ts';

/** Milliseconds that the registered threads may take to end. One that runs no statement takes a few. */
const END_MS = 500;
/** Milliseconds for the output to take the last line of the log. */
const LOG_MS = 100;

const running = new Set<Worker>();

/** Registers a thread until it has ended. @returns the thread */
export function registerThread(thread: Worker): Worker {
  running.add(thread);
  thread.once('exit', () => running.delete(thread));
  return thread;
}

/**
 * Ends the process with an exit code. While a thread is still within a statement, the process kills itself instead, or
 * its supervisor would have to. Everything that must be kept must have been written before.
 */
export async function exitProcess(timers: Timers, log: Pick<Log, 'warn'>, code: number): Promise<void> {
  await waitAtMost(timers, END_MS, Promise.all([...running].map((thread) => thread.terminate())));
  if (running.size === 0) process.exit(code);
  log.warn('the process kills itself, because a thread is within a long statement of the database');
  await sleep(timers, LOG_MS);
  process.kill(process.pid, 'SIGKILL');
}
