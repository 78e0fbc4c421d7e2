const JOINED_AT = 1_024;
/** Larger ones are worth their object, and a copy of them would take as much memory again. */
const SMALL_BYTES = 1_024;

/**
 * Bytes that arrive in pieces, however small these are. As an object each piece takes about a hundred bytes beside its
 * content, so that some are joined before there are many. None keeps the packet that it came in.
 */
export class BytePieces {
  #joined: Buffer[] = [];
  #recent: Buffer[] = [];
  #recentBytes = 0;
  #length = 0;

  /** Bytes of all pieces. */
  get length(): number {
    return this.#length;
  }

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    this.#recent.push(ownBytes(piece));
    this.#recentBytes += piece.length;
    if (this.#recent.length < JOINED_AT) return;
    const areSmall = this.#recentBytes < JOINED_AT * SMALL_BYTES;
    this.#joined.push(...(areSmall ? [Buffer.concat(this.#recent)] : this.#recent));
    this.#recent = [];
    this.#recentBytes = 0;
  }

  /** Returns all bytes as one; a single large piece as it is. */
  whole(): Buffer {
    const pieces = [...this.#joined, ...this.#recent];
    const [first] = pieces;
    return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
  }

  clear(): void {
    this.#joined = [];
    this.#recent = [];
    this.#recentBytes = 0;
    this.#length = 0;
  }
}

/**
 * Returns bytes that keep no large packet in memory: copies a piece that is less than half of its packet, into the pool of
 * 8 KiB that small buffers share. A peer that sends packets with one byte of content each would fill the memory otherwise,
 * although hardly anything is counted.
 */
export function ownBytes(piece: Buffer): Buffer {
  return piece.length * 2 < piece.buffer.byteLength ? Buffer.from(piece) : piece;
}
