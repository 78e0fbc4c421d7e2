const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
/**
 * Maximum boxes; fragments of one second have fewer in a day. The cost of a box doesn't depend on its size, and a
 * file may have millions.
 */
const BOXES_MAX = 300_000;

/** Finder of a file's boxes by name (ISO/IEC 14496-12). */
export class Mp4Boxes {
  #left = BOXES_MAX;

  /** True if boxes were skipped because there were too many. */
  get isExhausted(): boolean {
    return this.#left === 0;
  }

  /** Yields the contents of the boxes of one level with a name; stops at an unreadable box. */
  *all(within: Buffer, name: string): Generator<Buffer> {
    const code = Buffer.from(name, 'latin1').readUInt32BE(0);
    let at = 0;
    while (at + HEADER_BYTES <= within.length && this.#left > 0) {
      const short = within.readUInt32BE(at);
      const isLong = short === 1 && at + LONG_HEADER_BYTES <= within.length;
      const size = isLong ? Number(within.readBigUInt64BE(at + HEADER_BYTES)) : short;
      const header = isLong ? LONG_HEADER_BYTES : HEADER_BYTES;
      // 0 means to the end of the file.
      const end = size === 0 ? within.length : Math.min(at + size, within.length);
      if (end < at + header) return;
      if (within.readUInt32BE(at + 4) === code && end > at + header) {
        this.#left--;
        yield within.subarray(at + header, end);
      }
      at = end;
    }
  }

  /** Returns the first box on a path of names. */
  find(within: Buffer | undefined, ...path: readonly string[]): Buffer | undefined {
    return path.reduce<Buffer | undefined>((inner, name) => inner && this.#first(inner, name), within);
  }

  #first(within: Buffer, name: string): Buffer | undefined {
    for (const content of this.all(within, name)) return content;
    return undefined;
  }
}

/** Reads a number of four bytes; returns 0 after the end. */
export function readUint32(content: Buffer, at: number): number {
  return at + 4 <= content.length ? content.readUInt32BE(at) : 0;
}

/** Reads timescale and duration from the header of a movie or of a track's media. */
export function readTimes(header: Buffer | undefined): { timescale: number; duration: number } {
  if (header === undefined || header.length < 20) return { timescale: 0, duration: 0 };
  const isLong = header[0] === 1 && header.length >= 32;
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  return { timescale: header.readUInt32BE(isLong ? 20 : 12), duration };
}
