/**
 * Budget for the memory that relayed requests hold: bodies, non-streaming responses, incomplete events, stored
 * copies, and unsent bytes. The budget belongs to the process; each request has a share.
 */
import { totalmem } from 'node:os';
import { formatRetryAdvice } from '../../platform/http/app-error.ts';
import { RelayError } from '../http/relay-error.ts';

const RETRY_SECONDS = 5;

class MemoryError extends RelayError {
  /** @param bytes that the request needs in all @param most bytes for it if no other request holds memory */
  constructor(reason: string, bytes: number, most: number) {
    const isTooLarge = bytes > most;
    super(
      'overloaded',
      isTooLarge
        ? `This request and its response need ${formatMebibytes(bytes)} of memory, and the limit is ${formatMebibytes(most)}. Send less, or request less output.`
        : `${reason} ${formatRetryAdvice(RETRY_SECONDS)}`,
      isTooLarge ? {} : { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}

const formatMebibytes = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MiB`;

/** One user's requests have used up that user's share of the memory. */
export class UserMemoryError extends MemoryError {}

export interface MemoryBudget {
  readonly usedBytes: number;
  /**
   * Opens the share of a request. @param owner user whose requests together may use three quarters; absent: no
   * per-user limit
   */
  open(owner?: number): MemoryShare;
}

/** `upload`: leaves room for responses. `owed`: is never refused. */
export type MemoryUse = 'upload' | 'owed';

export interface MemoryShare {
  /**
   * Adds bytes; a negative number subtracts.
   * @throws RelayError `overloaded` when the budget is used up; then nothing is counted
   */
  grow(bytes: number, use?: MemoryUse): void;
  /** Grows the share to at least so many bytes. @throws RelayError as `grow` does */
  growTo(bytes: number): void;
  /** Releases the whole share. */
  release(): void;
}

/** Fraction of the budget that one user may use. */
const OWNER_PART = 0.75;
/**
 * Fraction of each limit that uploads may fill. An unfinished upload costs its sender nothing; without the rest, a user
 * could have the gateway discard responses that vendors bill.
 */
const UPLOAD_PART = 0.8;
/** Shares up to this size are never refused, so that large requests do not block small ones. */
const SMALL_BYTES = 65_536;
const DEFAULT_MIN_BYTES = 67_108_864;
const DEFAULT_MAX_BYTES = 4_294_967_296;
/** Divisor: the rest is for the heap, short-lived copies during parsing, and garbage. */
const DEFAULT_PART = 4;

export function createMemoryBudget(maxBytes: number): MemoryBudget {
  let used = 0;
  const usedBy = new Map<number, number>();
  const add = (owner: number | undefined, bytes: number): void => {
    used += bytes;
    if (owner === undefined) return;
    const own = (usedBy.get(owner) ?? 0) + bytes;
    if (own === 0) usedBy.delete(owner);
    else usedBy.set(owner, own);
  };
  const ownerMaxBytes = Math.floor(maxBytes * OWNER_PART);
  /** @param own bytes that the request holds already */
  const checkRoom = (owner: number | undefined, own: number, bytes: number, use: MemoryUse | undefined): void => {
    const part = use === 'upload' ? UPLOAD_PART : 1;
    if (owner !== undefined && (usedBy.get(owner) ?? 0) + bytes > ownerMaxBytes * part)
      throw new UserMemoryError(
        'Your other large requests and responses use all the memory that one account may use.',
        own + bytes,
        ownerMaxBytes * part,
      );
    if (used + bytes > maxBytes * part)
      throw new MemoryError(
        'The gateway has no memory left for large requests and responses.',
        own + bytes,
        maxBytes * part,
      );
  };
  return {
    get usedBytes() {
      return used;
    },
    open(owner) {
      let own = 0;
      const grow = (bytes: number, use?: MemoryUse): void => {
        if (bytes > 0 && own + bytes > SMALL_BYTES && use !== 'owed') checkRoom(owner, own, bytes, use);
        own += bytes;
        add(owner, bytes);
      };
      return {
        grow,
        growTo(bytes) {
          if (bytes > own) grow(bytes - own);
        },
        release() {
          add(owner, -own);
          own = 0;
        },
      };
    },
  };
}

/** Returns a quarter of the memory limit of the process: its control group's or the machine's. */
export function defaultMemoryBudget(constrained = process.constrainedMemory(), machine = totalmem()): number {
  const available = constrained > 0 ? Math.min(constrained, machine) : machine;
  const share = Math.floor(available / DEFAULT_PART);
  return Math.min(Math.max(share, DEFAULT_MIN_BYTES), DEFAULT_MAX_BYTES);
}

/** Tracks the bytes that one part of a request holds. */
export class HeldBytes {
  /** Bytes of this part that are never refused, whatever else the request holds. */
  allowance = SMALL_BYTES;
  #bytes = 0;
  readonly #share: Pick<MemoryShare, 'grow'>;
  readonly #refuse: (error: RelayError) => void;

  /** @param refuse ends the request; the refused bytes are not counted */
  constructor(share: Pick<MemoryShare, 'grow'>, refuse: (error: RelayError) => void) {
    this.#share = share;
    this.#refuse = refuse;
  }

  set(bytes: number): void {
    const growth = bytes - this.#bytes;
    if (growth === 0) return;
    try {
      this.#share.grow(growth, bytes <= this.allowance ? 'owed' : undefined);
      this.#bytes = bytes;
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      this.#refuse(error);
    }
  }
}
