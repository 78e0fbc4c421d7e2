import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { getDatabaseFile } from '../db/open-database.ts';
import type { SystemReadings } from '../platform/overload-monitor.ts';

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

/**
 * Creates a folder in which a server can start. Its database is a copy of the run's migrated one, if that exists and
 * the folder has no database yet; otherwise the server migrates its own.
 * @param dataDir created if needed; absent: a new folder, which the caller removes
 */
export function createMigratedFolder(dataDir = mkdtempSync(join(tmpdir(), 'switchyard-'))): string {
  const file = getDatabaseFile(dataDir);
  if (process.env['TEST_POSTGRES'] !== undefined || existsSync(file)) return dataDir;
  mkdirSync(dataDir, { recursive: true });
  copyTemplate(file);
  return dataDir;
}

/** Copies the run's migrated database to this file. Without one it does nothing, and the caller migrates the file. */
export function copyTemplate(file: string): void {
  const template = process.env['TEST_SQLITE_TEMPLATE'];
  if (template !== undefined) copyFileSync(template, file);
}
