import type { Settings } from '@switchyard/contract/operations/settings';
import type { Config } from './config.ts';
import type { Leases } from './db/leases.ts';
import type { Database } from './db/open-database.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Metrics, Tracing } from './operations/metrics/metrics.ts';
import type { Changes } from './platform/change-subscriptions.ts';
import type { Clock } from './platform/clock.ts';
import type { SharedLimits } from './platform/limits/shared-limits.ts';
import type { Log } from './platform/log.ts';
import type { LogTail } from './platform/log-tail.ts';
import type { Outbound } from './platform/outbound/outbound.ts';
import type { OverloadMonitor } from './platform/overload-monitor.ts';
import type { Vault } from './platform/secrets/vault.ts';

/** Dependencies of every feature. Created once, in `app.ts`. */
export interface Context {
  config: Config;
  db: Database;
  ledger: Ledger;
  vault: Vault;
  changes: Changes;
  /** Leases for work that only one node does at a time. */
  leases: Leases;
  clock: Clock;
  log: Log;
  logTail: LogTail;
  outbound: Outbound;
  /** Limits that all nodes share. */
  sharedLimits: SharedLimits;
  overload: OverloadMonitor;
  metrics: Metrics;
  /** Undefined: traces are not sent. */
  tracing: Tracing | undefined;
  /** Current settings. */
  readonly settings: Settings;
  /** UTC seconds. */
  startTime: number;
}
