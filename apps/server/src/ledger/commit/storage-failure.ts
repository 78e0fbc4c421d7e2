/** Storage failures, such as a full or broken disk, become a retryable error, since the caller is not at fault. */
import { AppError, formatRetryAdvice, REPORT_ADVICE } from '../../platform/http/app-error.ts';

/** SQLite's primary result codes for storage failures: busy, out of memory, read-only, I/O, full, cannot open. */
const STORAGE_CODES: ReadonlySet<number> = new Set([5, 7, 8, 10, 13, 14]);
/** A recovered database serves at once, and refusals cost little meanwhile. */
const RETRY_AFTER_SECONDS = 1;

/**
 * PostgreSQL's error classes for storage failures: connection, resources, operator intervention and system errors; a
 * read-only server during a failover; an idle transaction that was ended; and network errors.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const STORAGE_CLASSES = /^(?:08|25006|25P0[34]|53|57|58|E(?:AI_)?[A-Z]+$)/;
/** Serialization failures, deadlocks and lock timeouts: the transaction was rolled back and can be retried. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);

function readErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function isTransient(error: unknown): boolean {
  return TRANSIENT_CODES.has(readErrorCode(error));
}

/** PostgreSQL ended an idle transaction while this process was busy or suspended. */
const IDLE_TOO_LONG = '25P03';
/** Message of `pg` for a statement that it didn't send, because the connection had ended before. */
const NEVER_SENT = /^Client has encountered a connection error and is not queryable/;

/** Returns whether nothing of the transaction was written, so that it can be retried at once. */
export function isRolledBack(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isTransient(error) || readErrorCode(error) === IDLE_TOO_LONG || NEVER_SENT.test(error.message);
}

/**
 * Returns whether the error is a storage failure. The low byte of an extended SQLite result code is the primary one.
 */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return STORAGE_CODES.has(Number(error.errcode) & 0xff);
  if (isTransient(error) || STORAGE_CLASSES.test(readErrorCode(error))) return true;
  return /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout|^Client (?:has encountered|was closed)/.test(
    error.message,
  );
}

/** Codes and messages of a connection that ended, or gave no response, after a statement was sent. */
const LOST_CODES = /^(?:08|57P0[12]$|E[A-Z]+$)/;
const LOST_MESSAGES = /^Connection terminated|^Query read timeout/;

/** Returns whether PostgreSQL may have committed a write that failed: its response is missing. */
export function mayBeCommitted(error: unknown): boolean {
  return LOST_CODES.test(readErrorCode(error)) || (error instanceof Error && LOST_MESSAGES.test(error.message));
}

/** Returns `unavailable` with the failure as its cause, or any other error unchanged. */
export function toUnavailable(error: unknown): unknown {
  if (!isStorageFailure(error)) return error;
  const message = `The database of the gateway is unavailable. ${formatRetryAdvice(RETRY_AFTER_SECONDS)} ${REPORT_ADVICE}`;
  return new AppError('unavailable', message, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
