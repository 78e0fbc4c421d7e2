/**
 * One budget for the memory that relayed requests hold: bodies, responses that are read whole, events that are not
 * complete, stored copies, and bytes that a client has not taken. Its owner is the process; each request has a share.
 */
import { totalmem } from 'node:os';
import { RelayError } from './relay-error.ts';

export interface MemoryBudget {
  readonly usedBytes: number;
  /** Begins the share of a request. */
  open(): MemoryShare;
}

export interface MemoryShare {
  /**
   * Counts more bytes, or fewer where the number is negative.
   * @throws RelayError `overloaded` when the budget is used up; then nothing is counted
   */
  grow(bytes: number): void;
  /** Gives the whole share back. */
  release(): void;
}

/** A share up to this size is never refused, so that large requests do not keep small ones out. */
const SMALL_BYTES = 65_536;
const RETRY_SECONDS = 5;
const DEFAULT_MIN_BYTES = 67_108_864;
const DEFAULT_MAX_BYTES = 4_294_967_296;
/** The rest is for the heap, for copies that live for the time of a parse, and for garbage. */
const DEFAULT_PART = 4;

export function createMemoryBudget(maxBytes: number): MemoryBudget {
  let used = 0;
  return {
    get usedBytes() {
      return used;
    },
    open() {
      let own = 0;
      return {
        grow(bytes) {
          const isRefused = bytes > 0 && used + bytes > maxBytes && own + bytes > SMALL_BYTES;
          if (isRefused) throw refused(maxBytes);
          own += bytes;
          used += bytes;
        },
        release() {
          used -= own;
          own = 0;
        },
      };
    },
  };
}

/** Returns a quarter of the memory that the process may use: of its control group, or of the machine. */
export function defaultMemoryBudget(constrained = process.constrainedMemory(), machine = totalmem()): number {
  const available = constrained > 0 ? Math.min(constrained, machine) : machine;
  const share = Math.floor(available / DEFAULT_PART);
  return Math.min(Math.max(share, DEFAULT_MIN_BYTES), DEFAULT_MAX_BYTES);
}

function refused(maxBytes: number): RelayError {
  return new RelayError(
    'overloaded',
    `Large requests and responses use all of the ${maxBytes} bytes that the gateway has for them. Retry in ${RETRY_SECONDS} seconds.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** Counts what one part of a request holds now, in place of what it held before. */
export class HeldBytes {
  #bytes = 0;
  readonly #share: Pick<MemoryShare, 'grow'>;
  readonly #refuse: (error: RelayError) => void;

  /** @param refuse ends the request, which then holds nothing more */
  constructor(share: Pick<MemoryShare, 'grow'>, refuse: (error: RelayError) => void) {
    this.#share = share;
    this.#refuse = refuse;
  }

  set(bytes: number): void {
    const more = bytes - this.#bytes;
    if (more === 0) return;
    try {
      this.#share.grow(more);
      this.#bytes = bytes;
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      this.#refuse(error);
    }
  }
}
