const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
/** Fragments of a second fill a day with fewer. Each box costs as much as a large one, and a file may have millions. */
const BOXES_MAX = 300_000;

/** Finds boxes in a file by their names (ISO/IEC 14496-12). */
export class Mp4Boxes {
  #left = BOXES_MAX;

  /** True if boxes were left out because there were too many. */
  get isExhausted(): boolean {
    return this.#left === 0;
  }

  /** Goes through the contents of the boxes of one level that have a name; it ends at a box that cannot be read. */
  *all(within: Buffer, name: string): Generator<Buffer> {
    const code = Buffer.from(name, 'latin1').readUInt32BE(0);
    let at = 0;
    while (at + HEADER_BYTES <= within.length && this.#left > 0) {
      const short = within.readUInt32BE(at);
      const isLong = short === 1 && at + LONG_HEADER_BYTES <= within.length;
      const size = isLong ? Number(within.readBigUInt64BE(at + HEADER_BYTES)) : short;
      const header = isLong ? LONG_HEADER_BYTES : HEADER_BYTES;
      // 0: to the end of the file.
      const end = size === 0 ? within.length : Math.min(at + size, within.length);
      if (end < at + header) return;
      if (within.readUInt32BE(at + 4) === code && end > at + header) {
        this.#left--;
        yield within.subarray(at + header, end);
      }
      at = end;
    }
  }

  /** Finds the first box on a path of names. */
  find(within: Buffer | undefined, ...path: readonly string[]): Buffer | undefined {
    return path.reduce<Buffer | undefined>((inner, name) => inner && this.#first(inner, name), within);
  }

  #first(within: Buffer, name: string): Buffer | undefined {
    for (const content of this.all(within, name)) return content;
    return undefined;
  }
}

/** Reads a number of four bytes; 0 where there is none. */
export function readUint32(content: Buffer, at: number): number {
  return at + 4 <= content.length ? content.readUInt32BE(at) : 0;
}

/** Timescale and duration, as the headers of a movie and of a track's media have them. */
export function readTimes(header: Buffer | undefined): { timescale: number; duration: number } {
  if (header === undefined || header.length < 20) return { timescale: 0, duration: 0 };
  const isLong = header[0] === 1 && header.length >= 32;
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  return { timescale: header.readUInt32BE(isLong ? 20 : 12), duration };
}
