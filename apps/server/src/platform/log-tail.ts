/** Last lines of the log in memory, for the console. */
import type { LogEvent, LogLevel, LogLine } from '@switchyard/contract/operations/system-info';
import { AppError } from './http/app-error.ts';
import type { LogDestination } from './log.ts';

/** Destination of printed log lines: JSON, without secrets. */
export interface LogTail extends LogDestination {
  /**
   * Yields the lines after a number, then later ones until the signal aborts. A slow reader misses lines, and gets
   * their number.
   * @throws AppError `too-many-requests` when too many read at once
   */
  follow(after: number, signal: AbortSignal): AsyncGenerator<LogEvent, void>;
  /** Returns the lines as they were printed, oldest first. */
  text(): string;
  /** Ends all readers. */
  close(): void;
}

const LINES_MAX = 2_000;
const LINE_LENGTH_MAX = 8_000;
const READERS_MAX = 8;

interface Reader {
  waiting: LogLine[];
  missed: number;
  wake(): void;
}

export function createLogTail(): LogTail {
  const lines: { line: LogLine; printed: string }[] = [];
  const readers = new Set<Reader>();
  let last = 0;
  let closed = false;

  /** Numbers restart with the process, so a number above the last one belongs to an earlier process. */
  const readerAfter = (number: number): Reader => {
    const after = number > last ? 0 : number;
    const waiting = lines.filter(({ line }) => line.number > after).map(({ line }) => line);
    const oldest = waiting[0]?.number ?? last + 1;
    return { waiting, missed: after === 0 ? 0 : oldest - after - 1, wake: () => {} };
  };

  async function* read(after: number, signal: AbortSignal): AsyncGenerator<LogEvent, void> {
    const reader = readerAfter(after);
    const wake = (): void => reader.wake();
    readers.add(reader);
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted && !closed) {
        const { missed } = reader;
        reader.missed = 0;
        if (missed > 0) yield { event: 'missed', count: missed };
        for (let line = reader.waiting.shift(); line !== undefined; line = reader.waiting.shift())
          yield { event: 'line', line };
        if (reader.missed > 0) continue;
        await new Promise<void>((resolve) => {
          reader.wake = resolve;
          if (signal.aborted || closed) resolve();
        });
      }
    } finally {
      signal.removeEventListener('abort', wake);
      readers.delete(reader);
    }
  }

  return {
    write(text) {
      last += 1;
      const line = toLogLine(last, text);
      lines.push({ line, printed: truncateLine(text.trimEnd()) });
      if (lines.length > LINES_MAX) lines.shift();
      for (const reader of readers) {
        // Missed lines are reported before later ones are yielded.
        if (reader.waiting.length < LINES_MAX && reader.missed === 0) reader.waiting.push(line);
        else reader.missed += 1;
        reader.wake();
      }
    },
    follow(after, signal) {
      if (readers.size >= READERS_MAX)
        throw new AppError(
          'too-many-requests',
          `${READERS_MAX} users are following the log, which is the limit. Try again in a minute.`,
        );
      return read(after, signal);
    },
    text: () => lines.map(({ printed }) => `${printed}\n`).join(''),
    close() {
      closed = true;
      for (const reader of readers) reader.wake();
    },
  };
}

function truncateLine(text: string): string {
  return text.length > LINE_LENGTH_MAX ? `${text.slice(0, LINE_LENGTH_MAX)}…` : text;
}

const levels: readonly (readonly [from: number, level: LogLevel])[] = [
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
];

function toLogLine(number: number, printed: string): LogLine {
  const { level, time, msg, ...rest } = parseLogFields(printed);
  const at = typeof time === 'string' ? Date.parse(time) : 0;
  return {
    number,
    time: Number.isNaN(at) ? 0 : at,
    level: levels.find(([from]) => typeof level === 'number' && level >= from)?.[1] ?? 'debug',
    message: typeof msg === 'string' ? truncateLine(msg) : '',
    detail: Object.keys(rest).length === 0 ? '' : truncateLine(JSON.stringify(rest)),
  };
}

function parseLogFields(printed: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(printed);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Not a line of the logger.
  }
  return { msg: printed.trimEnd() };
}
