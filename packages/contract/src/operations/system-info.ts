/** State of this server: process, database, pending work, vendors' certificates, log and jobs. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { routes } from '../route.ts';

export const jobNames = [
  'ask-about-orders',
  'ask-about-refunds',
  'recover-channels',
  'write-channel-hours',
  'write-safety-days',
  'write-missing-rates',
  'remove-old-channel-hours',
  'check-books',
  'check-audit-log',
  'check-certificates',
  'check-version',
  'refresh-catalogue',
  'make-backup',
  'remove-old-idempotency-keys',
  'remove-old-responses',
  'remove-old-conversations',
  'remove-old-records',
  'remove-old-tasks',
  'remove-old-batches',
  'remove-gone-works',
  'remove-old-mail',
  'remove-old-sessions',
  'remove-expired-secrets',
  'reseal-secrets',
  'test-channels',
  'remove-old-tests',
  'store-statements',
  'tell-low-balances',
  'raise-alerts',
  'remove-old-deliveries',
  'ship-records',
  'summarise-days',
  'summarise-hours',
  'sum-up-groups',
  'limit-waits',
] as const;
export const jobName = z.enum(jobNames);
export type JobName = z.output<typeof jobName>;

export const jobOutcome = z.enum(['ok', 'failed']);
export type JobOutcome = z.output<typeof jobOutcome>;

export const job = z.object({
  name: jobName,
  /** Seconds between two starts. */
  every: z.int(),
  running: z.boolean(),
  /** Last completed run; null without one. */
  last: z
    .object({
      started_at: seconds,
      /** Milliseconds. */
      duration: z.int(),
      outcome: jobOutcome,
      /** Error message of a failed run. */
      message: z.string(),
    })
    .nullable(),
  next_at: seconds,
});
export type Job = z.output<typeof job>;

/** Reason why a host's certificate is unknown or untrusted. */
export const certificateProblem = z.enum(['', 'plain-http', 'not-allowed', 'behind-proxy', 'no-answer', 'not-trusted']);
export type CertificateProblem = z.output<typeof certificateProblem>;

/** Remaining days from which a certificate causes a warning. */
export const CERTIFICATE_WARN_DAYS = 14;

export const certificate = z.object({
  /** Host with its port, unless that is 443; the whole origin without HTTPS. */
  host: z.string(),
  channels: z.int(),
  problem: certificateProblem,
  issuer: z.string(),
  valid_until: seconds.nullable(),
  checked_at: seconds.nullable(),
});
export type Certificate = z.output<typeof certificate>;

/** `unfit`: not a replica of this database. Reports are read from the primary unless the replica is `in-use`. */
export const replicaStatus = z.enum(['in-use', 'behind', 'away', 'unfit']);
export type ReplicaStatus = z.output<typeof replicaStatus>;

const systemState = z.object({
  version: z.string(),
  /** Null if the check is disabled or has not completed yet. */
  newest: z.object({ version: z.string(), is_newer: z.boolean(), asked_at: seconds }).nullable(),
  /** Host and process. */
  node: z.string(),
  node_version: z.string(),
  started_at: seconds,
  now: seconds,
  database: z.object({
    /** Bytes, as all sizes. */
    size: z.int(),
    engine: z.enum(['sqlite', 'postgres']),
    engine_version: z.string(),
    migration: z.string(),
    /** Null if the database is not a file of this server. */
    file: z.object({ wal_size: z.int(), free_pages: z.int(), page_size: z.int(), journal_mode: z.string() }).nullable(),
    /** Connections of all clients to the database server; null without a server. */
    connections: z.object({ open: z.int(), max: z.int() }).nullable(),
    /** Replica from which reports are read; null without one. */
    replica: z
      .object({
        use: replicaStatus,
        /** Maximum milliseconds of replication lag; null: unknown. */
        lag: z.int().nullable(),
      })
      .nullable(),
  }),
  /** All nodes of this database, oldest first; empty for a database file. */
  nodes: z.array(
    z.object({
      id: z.int(),
      /** Host and process. */
      name: z.string(),
      /** Empty for a version that does not report it. */
      version: z.string(),
      started_at: seconds,
      /** True if the node has renewed its lease. */
      is_alive: z.boolean(),
    }),
  ),
  /** Event loop delay over the last minute, in milliseconds. */
  event_loop: z.object({ p50: z.number(), p99: z.number() }),
  memory: z.object({ rss: z.int(), heap: z.int(), external: z.int(), share: z.number() }),
  requests: z.object({
    /** Relay requests that occupy a concurrency slot. */
    running: z.int(),
    /** Relay requests with a hold. */
    held: z.int(),
    /** Relay requests refused for overload since the start. */
    refused: z.int(),
    shedding: z.boolean(),
  }),
  queues: z.object({ mail_waiting: z.int(), mail_failed: z.int() }),
  certificates: z.array(certificate),
});
export type SystemState = z.output<typeof systemState>;

export const logLevel = z.enum(['debug', 'info', 'warn', 'error']);
export type LogLevel = z.output<typeof logLevel>;

export const logLine = z.object({
  /** Sequence number since the start of the process. */
  number: z.int(),
  /** UTC milliseconds. */
  time: z.number(),
  level: logLevel,
  message: z.string(),
  /** Other fields of the line as JSON, truncated if very long. */
  detail: z.string(),
});
export type LogLine = z.output<typeof logLine>;

const logEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('line'), line: logLine }),
  /** Number of lines that were dropped because they were read too late. */
  z.object({ event: z.literal('missed'), count: z.int() }),
]);
export type LogEvent = z.output<typeof logEvent>;

export const systemInfo = routes({
  get: {
    method: 'GET',
    path: '/api/system_info/',
    access: 'root',
    summary: 'Retrieve the state of the process, the database and the certificates of providers',
    answer: systemState,
  },
  followLog: {
    method: 'POST',
    path: '/api/system_info/log',
    access: 'root',
    summary: 'Stream the log lines after a given one for a minute; then request again',
    body: z.object({
      /** Last known line; 0: from the oldest that is kept. */
      after: z.int().min(0),
    }),
    answer: logEvent,
    events: true,
  },
  logFile: {
    method: 'GET',
    path: '/api/system_info/log/file',
    access: 'root',
    summary: 'Download the kept log lines, as they were printed',
    answer: z.string(),
    file: 'text/plain',
    // Root reads the same lines as events, and needs them when the disk is full.
    auditAs: 'never',
  },
  jobs: {
    method: 'GET',
    path: '/api/jobs/',
    access: 'root',
    summary: 'List the background jobs with their last and next run',
    answer: z.array(job),
  },
  runJob: {
    method: 'POST',
    path: '/api/jobs/:name/run',
    access: 'root',
    summary: 'Start a job now; fails while it is running',
    params: z.object({ name: jobName }),
    answer: job,
  },
});
