import type { Config } from '../config.ts';
import type { SystemReadings } from '../platform/load-shedding.ts';

/** Returns the configuration of a server in a test: a free port, no environment. */
export function createTestConfig(dataDir: string, changes: Partial<Config> = {}): Config {
  return {
    port: 0,
    host: '127.0.0.1',
    dataDir,
    databaseUrl: undefined,
    replica: undefined,
    redisUrl: undefined,
    clickhouse: undefined,
    masterKey: undefined,
    masterKeyOld: undefined,
    root: undefined,
    logLevel: 'error',
    publicUrl: undefined,
    trustedProxies: [],
    outboundAllow: ['127.0.0.1'],
    plainHttpStaff: false,
    relayBodyMaxBytes: 33_554_432,
    connectionsMax: undefined,
    connectionsPerAddress: undefined,
    relayMemoryMaxBytes: 268_435_456,
    drainSeconds: 0,
    delaySeconds: 0,
    metricsReaders: [],
    telemetry: undefined,
    backupPassphrase: undefined,
    backupBeforeUpgrade: true,
    // Address without a listener.
    turnstileUrl: 'http://127.0.0.1:9/siteverify',
    ...changes,
  };
}

/** Returns readings of the load, which a test sets. */
export const createFixedReadings = (strain: { delayMs: number; memoryShare: number }): SystemReadings => ({
  delayMs: () => strain.delayMs,
  memoryShare: () => strain.memoryShare,
  delays: () => ({ p50: strain.delayMs, p99: strain.delayMs }),
  close: () => {},
});
