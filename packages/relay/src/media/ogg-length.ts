import { emptyBuffer } from '../json/json.ts';
import {
  type AudioDuration,
  extrapolateSeconds,
  type PacketLength,
  type StepBudget,
  validateStatedLength,
} from './duration-and-step-budget.ts';
import { flacFrameSeconds, flacSampleRate } from './flac-length.ts';

const PAGE = 'OggS';
const PAGE_CODE = 0x4f676753;
const PAGE_BYTES = 27;
/** Position of the number of segments in a page, whose sizes follow. */
const SEGMENTS = 26;
/** Position of the stream's number in a page. */
const SERIAL = 14;
const SEGMENT_MAX = 255;
const CONTINUED = 1;
/** Opus' fixed clock rate (RFC 7845). */
const OPUS_RATE = 48_000;
/** Bytes per second of speech with unreadable packets. */
const BYTES_PER_SECOND = 8_000;
/** Steps of a page, in addition to one for each segment of a packet. */
const PAGE_STEPS = 1;
/** Steps of a search for the next page. */
const SEARCH_STEPS = 4;
/** Steps of a new stream; a recorded radio program starts one with each song. */
const STREAM_STEPS = 50;
const FLAC = '\u007fFLAC';
/** Position of a FLAC file's start in the first packet. */
const FLAC_STREAM_AT = 9;
const IDENTIFICATION = '\u0001vorbis';
const SETUP = '\u0005vorbis';
const IDENTIFICATION_BYTES = 30;
const MODES_MAX = 64;
/** Bits of a mode: flag, window, transform, mapping. */
const MODE_BITS = 41;
/** Seconds of a frame by the packet's configuration number, of 32 (RFC 6716, section 3.1). */
const silk = [0.01, 0.02, 0.04, 0.06];
const hybrid = [0.01, 0.02];
const celt = [0.0025, 0.005, 0.01, 0.02];
const frameSeconds = [...silk, ...silk, ...silk, ...hybrid, ...hybrid, ...celt, ...celt, ...celt, ...celt];
/** Maximum seconds of a packet. */
const PACKET_SECONDS_MAX = 0.12;

/** Returns the length from the packets of all audio streams, and from the position on the last page (RFC 3533). */
export function measureOgg(file: Buffer, steps: StepBudget): AudioDuration | undefined {
  if (file.toString('latin1', 0, 4) !== PAGE || file.length < 64) return undefined;
  const claimed = readOggPosition(file, file);
  const heard = secondsOfPackets(file, steps);
  if (heard > 0) return { playedSeconds: heard, statedSeconds: claimed };
  return claimed === undefined ? undefined : { playedSeconds: file.length / BYTES_PER_SECOND, statedSeconds: claimed };
}

/**
 * Returns the seconds until the end of the last page in a part of a file; undefined if that page is of another stream
 * than the first one. @param head start of the file
 */
export function readOggPosition(head: Buffer, part: Buffer): number | undefined {
  const rate = readSampleRate(head);
  const last = rate === undefined ? -1 : part.lastIndexOf(PAGE);
  if (rate === undefined || last === -1 || last + PAGE_BYTES > part.length) return undefined;
  if (head.readUInt32LE(SERIAL) !== part.readUInt32LE(last + SERIAL)) return undefined;
  const position = part.readUInt32LE(last + 6) + part.readUInt32LE(last + 10) * 2 ** 32;
  return validateStatedLength(position / rate);
}

function readSampleRate(file: Buffer): number | undefined {
  const head = file.subarray(0, 128);
  if (head.includes('OpusHead')) return OPUS_RATE;
  const flac = head.indexOf(FLAC);
  if (flac !== -1) return flacSampleRate(head.subarray(flac + FLAC_STREAM_AT)) || undefined;
  const vorbis = head.indexOf(IDENTIFICATION);
  if (vorbis === -1 || vorbis + 16 > head.length) return undefined;
  return head.readUInt32LE(vorbis + 12) || undefined;
}

/** Adds up streams, which may follow each other. */
function secondsOfPackets(file: Buffer, steps: StepBudget): number {
  const streams = new Map<number, OggStream>();
  const sound = { seconds: 0 };
  let at = 0;
  while (at !== -1 && at + PAGE_BYTES <= file.length) {
    const segments = file[at + SEGMENTS] ?? 0;
    const isPage = file.readUInt32BE(at) === PAGE_CODE && at + PAGE_BYTES + segments <= file.length;
    if (!steps.take(isPage ? PAGE_STEPS + segments : SEARCH_STEPS))
      return extrapolateSeconds(sound.seconds, at, file.length);
    if (isPage) at = getStream(streams, file.readUInt32LE(at + SERIAL), steps).read(file, at, sound);
    else at = file.indexOf(PAGE, at + 1);
  }
  return sound.seconds;
}

function getStream(streams: Map<number, OggStream>, serial: number, steps: StepBudget): OggStream {
  const known = streams.get(serial);
  if (known !== undefined) return known;
  steps.take(STREAM_STEPS);
  const stream = new OggStream();
  streams.set(serial, stream);
  return stream;
}

/** Total of the audio that has been read. */
interface AudioProgress {
  seconds: number;
}

class OggStream {
  /** Undefined before the headers are read, and for streams that are not audio. */
  #lengthOf: PacketLength | undefined;
  /** Parts of the current header packet; undefined after the last header. */
  #pieces: Buffer[] | undefined = [];
  #headers: Buffer[] = [];
  #isWithinPacket = false;

  /**
   * Adds up the packets that start in the page at a position.
   * @returns the end of the page
   */
  read(file: Buffer, page: number, sound: AudioProgress): number {
    const sizesAt = page + PAGE_BYTES;
    const from = sizesAt + (file[page + SEGMENTS] ?? 0);
    let at = from;
    this.#isWithinPacket &&= ((file[page + 5] ?? 0) & CONTINUED) !== 0;
    for (let sizeAt = sizesAt; sizeAt < from; sizeAt++) {
      const size = file[sizeAt] ?? 0;
      const isEnd = size < SEGMENT_MAX;
      if (this.#pieces !== undefined) this.#readHeader(this.#pieces, file.subarray(at, at + size), isEnd);
      else if (!this.#isWithinPacket && size > 0 && this.#lengthOf !== undefined)
        sound.seconds += this.#lengthOf(file, at, at + size);
      this.#isWithinPacket = !isEnd;
      at += size;
    }
    return at;
  }

  #readHeader(pieces: Buffer[], piece: Buffer, isEnd: boolean): void {
    pieces.push(piece);
    if (!isEnd) return;
    // The second header has comments, including images, which are skipped.
    this.#headers.push(this.#headers.length === 1 ? emptyBuffer : Buffer.concat(pieces));
    this.#pieces = [];
    const [first = emptyBuffer, second, third] = this.#headers;
    const codec = codecs.find(([head]) => first.toString('latin1', 0, head.length) === head);
    const [, packets = 0, lengthIn] = codec ?? [];
    if (codec !== undefined && this.#headers.length < packets) return;
    this.#lengthOf = lengthIn?.(first, third ?? second ?? emptyBuffer);
    this.#pieces = undefined;
    this.#headers = [];
  }
}

/** Codecs by the start of their first header, with the number of their headers. */
const codecs: readonly (readonly [
  head: string,
  packets: number,
  lengthIn: (first: Buffer, last: Buffer) => PacketLength | undefined,
])[] = [
  ['OpusHead', 2, () => opusSeconds],
  [FLAC, 1, flacLength],
  [IDENTIFICATION, 3, vorbisLength],
  ['Speex   ', 2, speexLength],
];

function vorbisLength(identification: Buffer, setup: Buffer): PacketLength | undefined {
  const packets = readVorbisHeaders(identification, setup);
  return packets && ((file, at) => packets.secondsOf(file[at] ?? 1));
}

/**
 * Returns the length of FLAC packets: the first one contains the start of a file (RFC 9639, section 10.1), others are
 * frames.
 */
function flacLength(head: Buffer): PacketLength {
  const streamRate = flacSampleRate(head.subarray(FLAC_STREAM_AT));
  return (file, at) => flacFrameSeconds(file, at, streamRate);
}

const SPEEX_FRAMES_AT = 64;
const SPEEX_FRAME_SECONDS = 0.02;
const SPEEX_FRAMES_MAX = 10;

/** https://www.speex.org/docs/manual/speex-manual/node8.html */
function speexLength(head: Buffer): PacketLength {
  const frames = head.length >= SPEEX_FRAMES_AT + 4 ? head.readUInt32LE(SPEEX_FRAMES_AT) : 1;
  const seconds = Math.min(Math.max(frames, 1), SPEEX_FRAMES_MAX) * SPEEX_FRAME_SECONDS;
  return () => seconds;
}

/**
 * Sample counter of one Vorbis stream, whose first three packets are headers.
 * https://xiph.org/vorbis/doc/Vorbis_I_spec.html
 */
class VorbisPackets {
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

/** Returns the seconds of the Opus packet at a position from its first two bytes. */
export function opusSeconds(file: Buffer, at: number): number {
  const first = file[at] ?? 0;
  const code = first & 3;
  const frames = code === 3 ? (file[at + 1] ?? 0) & 63 : code === 0 ? 1 : 2;
  return Math.min((frameSeconds[first >>> 3] ?? 0) * frames, PACKET_SECONDS_MAX);
}
