/** Health and history of channels and their models. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { failureClass } from '../wire-enums.ts';

/** Health of a channel for one model, from the calls since the server's start. */
export const modelHealth = z.object({
  model: z.string(),
  /** State of the circuit breaker. `open`: skipped after failures; `half-open`: tried by one request at a time. */
  breaker: z.enum(['closed', 'open', 'half-open']),
  /** UTC seconds; 0 when closed. */
  open_until: seconds,
  failures_in_row: z.int(),
  /** End of the cooldown after a failure or a `Retry-After`; 0 without one. */
  rests_until: seconds,
  /** Smoothed milliseconds to the first content; null before the first response. */
  first_content_time: z.int().nullable(),
  /** Model named by the last response when it is of another family than the requested one; empty otherwise. */
  served_model: z.string(),
});
export type ModelHealth = z.output<typeof modelHealth>;

/** Automatic or manual change of the status of a channel or key, with its reason. */
export const channelEvent = z.object({
  created_at: seconds,
  event: z.enum([
    'auto-disabled',
    'auto-enabled',
    /** No cheap request tests the channel; clients' requests try it, one at a time. */
    'on-trial',
    'disabled',
    'enabled',
    'key-auto-disabled',
    'key-auto-enabled',
    'key-disabled',
    'key-enabled',
    'daily-cap-reached',
    'monthly-cap-reached',
  ]),
  reason: z.string(),
  /** User who made the change; empty: the gateway. */
  username: z.string(),
});
export type ChannelEvent = z.output<typeof channelEvent>;

export const testResult = z.object({
  success: z.boolean(),
  /** Milliseconds. */
  duration: z.int(),
  model: z.string(),
  /** Failure class of a failed call; null when it succeeded. */
  problem: failureClass.nullable(),
  /** Message of the vendor or the network, without secrets. */
  message: z.string(),
});

/** Successful and failed attempts in a period. */
const span = z.object({
  /** Start of the period. */
  from: seconds,
  answered: z.int(),
  failed: z.int(),
});
export type HistorySpan = z.output<typeof span>;

export const modelHistory = z.object({
  model: z.string(),
  /** Last 24 hours, oldest first. */
  hours: z.array(span),
  /** Last 30 UTC days, oldest first. */
  days: z.array(span),
  /** Milliseconds to the first content in the last 24 hours, estimated from a histogram; null without a response. */
  p50: z.int().nullable(),
  p95: z.int().nullable(),
  /** Failures of the last 30 days, most frequent first. */
  failures: z.array(
    z.object({
      kind: z.enum(['rate-limited', 'out-of-credit', 'unauthorised', 'overloaded', 'unreachable', 'garbled']),
      count: z.int(),
    }),
  ),
});
export type ModelHistory = z.output<typeof modelHistory>;

/** Uptime between 0 and 1; null when there were no requests. */
const uptime = z.number().nullable();

/** Public status of a model. */
export const modelStatus = z.object({
  model: z.string(),
  /** State over the last hours. */
  state: z.enum(['operational', 'degraded', 'down', 'unknown']),
  /** Uptime over all days together. */
  uptime,
  /** Uptime of each of the last 24 hours, oldest first. */
  hours: z.array(uptime),
  /** Uptime of each of the last 90 UTC days, oldest first. */
  days: z.array(uptime),
  /** Start of the last hour in which most requests failed. */
  last_incident: seconds.nullable(),
});
export type ModelStatus = z.output<typeof modelStatus>;
