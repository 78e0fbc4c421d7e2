import { pino } from 'pino';

export type Log = Pick<pino.Logger, 'error' | 'warn' | 'info' | 'debug'>;

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'key',
  'secret',
  'token',
  'access_token',
  'api_key',
  'proxy',
];

/** JSON lines on standard output, unless they are to go elsewhere. Secrets are redacted by name; code never logs a body. */
export function createLog(level: string, destination?: { write(line: string): void }): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

export const silentLog: Log = pino({ level: 'silent' });

/** For work that nobody waits for: a failure is logged under the work's name instead of being lost. */
export function inBackground(log: Log, name: string, work: () => Promise<unknown>): void {
  work().catch((error: unknown) => log.error({ err: error, work: name }, 'background work failed'));
}
