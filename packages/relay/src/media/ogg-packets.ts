/**
 * Durations of Vorbis and Opus packets; Vorbis' depend on the stream's headers.
 * https://xiph.org/vorbis/doc/Vorbis_I_spec.html
 */

const IDENTIFICATION = '\u0001vorbis';
const SETUP = '\u0005vorbis';
const IDENTIFICATION_BYTES = 30;
const MODES_MAX = 64;
/** Bits of a mode: flag, window, transform, mapping. */
const MODE_BITS = 41;

/** Sample counter of one stream, whose first three packets are headers. */
export class VorbisPackets {
  readonly #sampleRate: number;
  readonly #blocks: readonly [number, number];
  readonly #isLong: readonly boolean[];
  #before = 0;

  constructor(identification: Buffer, isLong: readonly boolean[]) {
    this.#sampleRate = identification.readUInt32LE(12);
    const sizes = identification[28] ?? 0;
    this.#blocks = [2 ** (sizes & 15), 2 ** (sizes >>> 4)];
    this.#isLong = isLong;
  }

  /** Returns the seconds that a packet adds, by its first byte: its block overlaps the preceding one. */
  secondsOf(first: number): number {
    if ((first & 1) === 1) return 0;
    const modeBits = 32 - Math.clz32(this.#isLong.length - 1);
    const mode = (first >>> 1) & (2 ** modeBits - 1);
    const block = this.#blocks[this.#isLong[mode] === true ? 1 : 0];
    const samples = this.#before === 0 ? 0 : (this.#before + block) / 4;
    this.#before = block;
    return samples / this.#sampleRate;
  }
}

/** Reads the headers of a stream; returns undefined for invalid ones. */
export function readVorbisHeaders(identification: Buffer, setup: Buffer): VorbisPackets | undefined {
  const isIdentified =
    identification.length >= IDENTIFICATION_BYTES &&
    identification.toString('latin1', 0, 7) === IDENTIFICATION &&
    identification.readUInt32LE(12) > 0;
  if (!isIdentified || setup.toString('latin1', 0, 7) !== SETUP) return undefined;
  const modes = readModes(setup);
  return modes.length === 0 ? undefined : new VorbisPackets(identification, modes);
}

/**
 * Returns for each mode whether its blocks are long. The modes are at the end of the header, after code books that
 * are expensive to read; therefore it is read backwards until a number equals the count of modes.
 */
function readModes(setup: Buffer): boolean[] {
  let last = setup.length - 1;
  while (last > 0 && setup[last] === 0) last--;
  let end = last * 8 + 7;
  while (end >= 0 && readBit(setup, end) === 0) end--;
  const modes: boolean[] = [];
  let found: boolean[] = [];
  for (let at = end - MODE_BITS; at >= 6 && modes.length < MODES_MAX; at -= MODE_BITS) {
    if (readBits(setup, at + 1, 16) !== 0 || readBits(setup, at + 17, 16) !== 0) break;
    modes.unshift(readBit(setup, at) === 1);
    if (readBits(setup, at - 6, 6) + 1 === modes.length) found = [...modes];
  }
  return found;
}

/** Reads a bit; bits are packed from the lowest of each byte. */
function readBit(bytes: Buffer, at: number): number {
  return ((bytes[at >>> 3] ?? 0) >>> (at & 7)) & 1;
}

function readBits(bytes: Buffer, at: number, count: number): number {
  let value = 0;
  for (let bit = 0; bit < count; bit++) value += readBit(bytes, at + bit) * 2 ** bit;
  return value;
}

/** Seconds of a frame by the packet's configuration number, of 32 (RFC 6716, section 3.1). */
const silk = [0.01, 0.02, 0.04, 0.06];
const hybrid = [0.01, 0.02];
const celt = [0.0025, 0.005, 0.01, 0.02];
const frameSeconds = [...silk, ...silk, ...silk, ...hybrid, ...hybrid, ...celt, ...celt, ...celt, ...celt];
/** Maximum seconds of a packet. */
const PACKET_SECONDS_MAX = 0.12;

/** Returns the seconds of an Opus packet from its first two bytes. */
export function opusSeconds([first = 0, second = 0]: Buffer): number {
  const codes = [1, 2, 2, second & 63];
  const frames = codes[first & 3] ?? 1;
  return Math.min((frameSeconds[first >>> 3] ?? 0) * frames, PACKET_SECONDS_MAX);
}
