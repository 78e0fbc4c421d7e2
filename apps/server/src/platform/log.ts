import { pino } from 'pino';
import { redactText, redactValue } from './secrets/redact-secrets.ts';

export type Log = Pick<pino.Logger, 'error' | 'warn' | 'info' | 'debug'>;

export interface LogDestination {
  write(line: string): void;
}

export function createStdoutDestination(): LogDestination {
  return pino.destination(1);
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

export const silentLog: Log = pino({ level: 'silent' });

/** Runs work in the background: a failure is logged under the work's name instead of being lost. */
export function runInBackground(log: Log, name: string, work: () => Promise<unknown>): void {
  work().catch((error: unknown) => log.error({ err: error, work: name }, 'background work failed'));
}
