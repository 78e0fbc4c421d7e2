import type { LogLine } from '@switchyard/contract/operations/system-info';
import { useEffect, useState } from 'react';
import { streamLog } from './queries.ts';

/** Log line or a number of missed lines; `key` is a local counter, since a restarted server counts from 1. */
export type ShownLine = { key: number } & ({ line: LogLine } | { missed: number });

export type Connection = 'connecting' | 'live' | 'lost';

const LINES_MAX = 2_000;
const AGAIN_MS = 2_000;
const SOON_MS = 200;
/** Interval at which new lines are rendered together. */
const DRAW_MS = 100;

/** Returns the server's log from its oldest line on and follows it; reconnects after a failure. */
export function useLiveLog(): { lines: readonly ShownLine[]; connection: Connection; clear: () => void } {
  const [lines, setLines] = useState<readonly ShownLine[]>([]);
  const [connection, setConnection] = useState<Connection>('connecting');
  useEffect(() => {
    const gone = new AbortController();
    let fresh: ShownLine[] = [];
    const draw = setInterval(() => {
      if (fresh.length === 0) return;
      const more = fresh;
      fresh = [];
      setLines((before) => [...before, ...more].slice(-LINES_MAX));
    }, DRAW_MS);
    void follow(gone.signal, (line) => fresh.push(line), setConnection);
    return () => {
      gone.abort();
      clearInterval(draw);
    };
  }, []);
  return { lines, connection, clear: () => setLines([]) };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function follow(
  signal: AbortSignal,
  onLine: (line: ShownLine) => void,
  onConnection: (connection: Connection) => void,
): Promise<void> {
  let after = 0;
  let key = 0;
  while (!signal.aborted) {
    try {
      onConnection('live');
      for await (const event of streamLog(after, signal)) {
        key += 1;
        if (event.event === 'missed') onLine({ key, missed: event.count });
        else {
          after = event.line.number;
          onLine({ key, line: event.line });
        }
      }
      // A server that is shutting down ends every stream at once, so a pause prevents a tight loop.
      await pause(SOON_MS);
    } catch {
      if (signal.aborted) return;
      onConnection('lost');
      await pause(AGAIN_MS);
    }
  }
}
