const JOINED_AT = 1_024;
/** Maximum bytes of a piece that is joined with others; a copy of a larger one would double its memory. */
const SMALL_BYTES = 1_024;

/**
 * Bytes that arrive in pieces of any size. Each object takes about a hundred bytes besides its content, so that small
 * pieces are joined. No piece keeps its network packet in memory.
 */
export class BytePieces {
  #joined: Buffer[] = [];
  #recent: Buffer[] = [];
  #recentBytes = 0;
  #length = 0;

  /** Total bytes of all pieces. */
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

  /** Returns all bytes in one buffer; a single large piece is not copied. */
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
 * Returns bytes that keep no large packet in memory: copies a piece of less than half of its packet into Node's 8 KiB
 * buffer pool. A peer that sends packets with one byte of content each would otherwise exhaust the memory while
 * almost nothing is counted.
 */
export function ownBytes(piece: Buffer): Buffer {
  return piece.length * 2 < piece.buffer.byteLength ? Buffer.from(piece) : piece;
}
