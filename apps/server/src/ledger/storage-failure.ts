/** A full or failing disk is nobody's fault who asks: they are told to come back. */
import { AppError } from '../platform/app-error.ts';

/** SQLite's primary result codes for trouble below it: busy, out of memory, read-only, I/O, full, cannot open. */
const STORAGE_CODES: ReadonlySet<number> = new Set([5, 7, 8, 10, 13, 14]);
const RETRY_AFTER_SECONDS = 5;

/** The low byte of an extended result code is the primary one. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return STORAGE_CODES.has(Number(error.errcode) & 0xff);
}

/** `unavailable`, with the failure as its cause, or the error as it is. */
export function unavailableWhenStorageFails(error: unknown): unknown {
  if (!isStorageFailure(error)) return error;
  return new AppError('unavailable', 'The gateway cannot write to its storage at the moment', {
    cause: error,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
