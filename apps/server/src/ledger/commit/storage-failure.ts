/** A full or failing disk is nobody's fault who asks: they are told to come back. */
import { AppError } from '../../platform/http/app-error.ts';

/** SQLite's primary result codes for trouble below it: busy, out of memory, read-only, I/O, full, cannot open. */
const STORAGE_CODES: ReadonlySet<number> = new Set([5, 7, 8, 10, 13, 14]);
/** A database that is back serves at once, and to refuse costs next to nothing meanwhile. */
const RETRY_AFTER_SECONDS = 1;

/**
 * PostgreSQL's classes of trouble: connection, resources, operator, system; a server that only reads, as one does that
 * took over from another or has yet to, and the end of a transaction that was idle; and what the network says.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const STORAGE_CLASSES = /^(?:08|25006|25P0[34]|53|57|58|E(?:AI_)?[A-Z]+$)/;
/** It gave one up so that another could go on: rolled back, to be tried again. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);

function readErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function isTransient(error: unknown): boolean {
  return TRANSIENT_CODES.has(readErrorCode(error));
}

/** PostgreSQL ended the transaction while this process was busy or stopped. */
const IDLE_TOO_LONG = '25P03';
/** Message of `pg` for a statement that it didn't send, because the connection had ended before. */
const NEVER_SENT = /^Client has encountered a connection error and is not queryable/;

/** Returns whether nothing of the transaction was written, so that it can be repeated at once. */
export function isRolledBack(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isTransient(error) || readErrorCode(error) === IDLE_TOO_LONG || NEVER_SENT.test(error.message);
}

/** The low byte of an extended result code is the primary one. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return STORAGE_CODES.has(Number(error.errcode) & 0xff);
  if (isTransient(error) || STORAGE_CLASSES.test(readErrorCode(error))) return true;
  return /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout|^Client (?:has encountered|was closed)/.test(
    error.message,
  );
}

/** `unavailable`, with the failure as its cause, or the error as it is. */
export function toUnavailable(error: unknown): unknown {
  if (!isStorageFailure(error)) return error;
  return new AppError('unavailable', 'The gateway cannot write to its storage at the moment', {
    cause: error,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
