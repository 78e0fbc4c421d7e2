import { write, writeSync } from 'node:fs';
import { pino } from 'pino';
import type { Timers } from './clock.ts';
import { redactText, redactValue } from './secrets/redact-secrets.ts';

export type Log = Pick<pino.Logger, 'error' | 'warn' | 'info' | 'debug'>;

export interface LogDestination {
  write(line: string): void;
}

/** Maximum characters of lines that wait for the output; later lines are dropped. */
const WAITING_MAX = 4_194_304;
const RETRY_MS = 100;
/** Milliseconds after which a write is considered stalled: its reader has stopped. */
const STALLED_MS = 1_000;
/** Maximum milliseconds that the end of the process waits for a slow reader, and between two tries. */
const EXIT_MS = 3_000;
const EXIT_RETRY_MS = 10;
const STDOUT = 1;

export function createStdoutDestination(): LogDestination {
  const output = createOutput(STDOUT);
  process.once('exit', () => output.writeRest());
  return output;
}

/**
 * Writes lines to a descriptor, and neither fails nor waits: a full disk or a reader that has stopped must not end or
 * delay the process. Lines that find no room are dropped, and later reported by their number.
 */
function createOutput(descriptor: number): LogDestination & { writeRest: () => void } {
  let lines: string[] = [];
  let waiting = 0;
  let dropped = 0;
  /** Bytes that are being written, or could not be written yet. */
  let chunk: Buffer = Buffer.alloc(0);
  let isBusy = false;
  /** `performance.now()` when the running write began; undefined between writes. */
  let begunAt: number | undefined;
  const takeLines = (): Buffer => {
    if (dropped > 0) lines.push(describeDropped(dropped));
    const taken = Buffer.from(lines.join(''));
    lines = [];
    waiting = 0;
    dropped = 0;
    return taken;
  };
  const writeNext = (): void => {
    if (chunk.length === 0) chunk = takeLines();
    isBusy = chunk.length > 0;
    if (!isBusy) return;
    begunAt = performance.now();
    write(descriptor, chunk, (error, written) => {
      begunAt = undefined;
      chunk = chunk.subarray(written);
      if (error === null) writeNext();
      else setTimeout(writeNext, RETRY_MS).unref();
    });
  };
  return {
    write: (line) => {
      if (waiting + line.length > WAITING_MAX) {
        dropped += 1;
        return;
      }
      lines.push(line);
      waiting += line.length;
      if (!isBusy) writeNext();
    },
    /** Writes what is left when the process ends, unless the output takes nothing any more. */
    writeRest: () => {
      const now = performance.now();
      if (begunAt !== undefined && now - begunAt > STALLED_MS) return;
      // The bytes of a write that is running are on their way.
      let rest = begunAt === undefined ? Buffer.concat([chunk, takeLines()]) : takeLines();
      while (rest.length > 0 && performance.now() - now < EXIT_MS) {
        const written = tryWrite(descriptor, rest);
        if (written === undefined) return;
        rest = rest.subarray(written);
      }
    },
  };
}

/** @returns the number of written bytes; undefined when the output fails */
function tryWrite(descriptor: number, bytes: Uint8Array): number | undefined {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return undefined;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_RETRY_MS);
    return 0;
  }
}

function describeDropped(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 40, time, lines, msg: 'the output took no more lines; these were dropped' })}\n`;
}

/** Creates a log that writes JSON lines to all destinations. Secrets are redacted; code never logs a body. */
export function createLog(level: string, ...destinations: readonly LogDestination[]): Log {
  const write = (line: string): void => {
    const printed = redactLine(line);
    for (const destination of destinations) destination.write(printed);
  };
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

function redactLine(line: string): string {
  try {
    return `${JSON.stringify(redactValue(JSON.parse(line)))}\n`;
  } catch {
    return redactText(line);
  }
}

const REPEAT_MS = 60_000;

/** Logs an error. */
export type LogError = (fields: object, message: string) => void;

/**
 * Returns a function that logs each message at once, and its repetitions as one line a minute with their number: while
 * the storage is away, thousands of writes fail for the same reason.
 */
export function createRepeatedErrorLog(log: Log, timers: Timers): LogError {
  const repetitions = new Map<string, number>();
  return (fields, message) => {
    const before = repetitions.get(message);
    repetitions.set(message, before === undefined ? 0 : before + 1);
    if (before !== undefined) return;
    log.error(fields, message);
    timers
      .after(REPEAT_MS, () => {
        const repeated = repetitions.get(message) ?? 0;
        repetitions.delete(message);
        if (repeated > 0) log.error({ ...fields, repeated }, message);
      })
      .unref();
  };
}

export const silentLog: Log = pino({ level: 'silent' });

/** Runs work in the background: a failure is logged under the work's name instead of being lost. */
export function runInBackground(log: Log, name: string, work: () => Promise<unknown>): void {
  work().catch((error: unknown) => log.error({ err: error, work: name }, 'background work failed'));
}

/**
 * Returns the message of an error. If all addresses of a name fail, Node reports one error for each in an error
 * without a message; their messages are joined.
 */
export function getErrorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((one) => getErrorMessage(one)).join('; ');
  return error instanceof Error ? error.message : String(error);
}
