import { emptyBuffer } from '../json/json.ts';
import { type AacConfig, aacSeconds, readAacConfig } from './aac-length.ts';
import { type PacketLength, type StepBudget, validateStatedLength } from './duration-and-step-budget.ts';
import { flacFrameSeconds } from './flac-length.ts';
import { mp3FrameSeconds } from './mp3-and-amr-length.ts';
import { opusSeconds } from './ogg-length.ts';

const ENTRY_BYTES = 8;
const SOUND_ENTRY_BYTES = 28;
/** Additional bytes of QuickTime's versions of a sound entry, before its boxes. */
const moreBytes = [0, 16, 36];
const SECOND_RATE_AT = 40;

/**
 * Minimum seconds of a sample, by format and sample rate. Uncompressed audio has one container sample per audio
 * sample.
 */
const sampleSeconds: Readonly<Record<string, (rate: number) => number>> = {
  ...Object.fromEntries(
    ['raw ', 'ulaw', 'alaw', 'sowt', 'twos', 'in24', 'in32', 'fl32', 'fl64', 'lpcm'].map((format) => [
      format,
      (rate: number) => 1 / rate,
    ]),
  ),
  mp4a: (rate) => 576 / rate,
  '.mp3': (rate) => 576 / rate,
  fLaC: (rate) => 576 / rate,
  alac: (rate) => 4_096 / rate,
  'ac-3': (rate) => 1_536 / rate,
  'ec-3': (rate) => 256 / rate,
  samr: () => 0.02,
  sawb: () => 0.02,
};
const CHUNK_RUN_BYTES = 12;
/** Bytes of a box's header, with a size of 32 or of 64 bits. */
export const HEADER_BYTES = 8;
export const LONG_HEADER_BYTES = 16;
/** Steps of a search among boxes, and of a box that it finds; each box that it skips is another step. */
const SEARCH_STEPS = 10;
const FOUND_STEPS = 3;

/** Audio track with the totals of its samples. */
export interface AudioTrack {
  id: number;
  timescale: number;
  /** Seconds of the samples in the movie's own tables. */
  seconds: number;
  config: AacConfig | undefined;
  /** Absent for codecs whose packets don't show their length. */
  packetSeconds: PacketLength | undefined;
  /** False if the sizes of the samples are in a table that is not read. */
  isRead: boolean;
}

/** Returns the tracks of a movie that are, or may be, audio. */
export function readAudioTracks(boxes: Mp4Boxes, movie: Buffer, file: Buffer): AudioTrack[] {
  const tracks: AudioTrack[] = [];
  for (const track of boxes.all(movie, 'trak')) {
    const kind = boxes.find(track, 'mdia', 'hdlr')?.toString('latin1', 8, 12);
    if (kind === undefined || kind === 'soun') tracks.push(readTrack(boxes, track, file));
  }
  return tracks;
}

function readTrack(boxes: Mp4Boxes, track: Buffer, file: Buffer): AudioTrack {
  const media = boxes.find(track, 'mdia');
  const { timescale, duration } = readTimes(boxes.find(media, 'mdhd'));
  const table = boxes.find(media, 'minf', 'stbl');
  const header = boxes.find(track, 'tkhd');
  const entry = boxes.find(table, 'stsd')?.subarray(8);
  const sizes = boxes.find(table, 'stsz');
  const { samples, bytes } = sumSamples(sizes, file.length);
  const config = entry && readConfig(boxes, entry);
  const packetSeconds = config || entry === undefined ? undefined : findPacketLength(entry, timescale);
  const times = [duration, sumTimeUnits(boxes.find(table, 'stts'))].map((units) => units / timescale);
  const seconds = [
    ...times.map((time) => validateStatedLength(time) ?? 0),
    config === undefined ? minSampleSeconds(entry, samples, timescale) : aacSeconds(config, samples, bytes),
    packetSeconds ? sumPackets(boxes, file, listSamples(boxes, table, sizes), samples, packetSeconds) : 0,
  ];
  return {
    id: header === undefined ? 0 : readUint32(header, header[0] === 1 ? 20 : 12),
    timescale,
    seconds: Math.max(...seconds),
    config,
    packetSeconds,
    isRead: sizes !== undefined || boxes.find(table, 'stz2') === undefined,
  };
}

/** Returns the function of a packet's length; undefined for codecs whose packets don't show it. */
function findPacketLength(entry: Buffer, timescale: number): PacketLength | undefined {
  const format = entry.toString('latin1', 4, 8);
  if (format === 'Opus') return opusSeconds;
  if (format === '.mp3' || format === 'mp4a') return mp3FrameSeconds;
  if (format !== 'fLaC') return undefined;
  const sampleRate = readSampleRate(entry, timescale);
  return (file, at) => flacFrameSeconds(file, at, sampleRate);
}

/** Adds up packets. @param positions positions of all samples, or of the first ones */
function sumPackets(
  boxes: Mp4Boxes,
  file: Buffer,
  positions: Iterable<number>,
  samples: number,
  packetSeconds: PacketLength,
): number {
  let seconds = 0;
  let packets = 0;
  for (const at of positions) {
    if (packets >= samples || !boxes.steps.take(1)) break;
    seconds += packetSeconds(file, at, file.length);
    packets++;
  }
  return packets === 0 ? 0 : (seconds * samples) / packets;
}

/** Yields the positions of a track's samples: runs of chunks have an equal number of consecutive samples each. */
function* listSamples(boxes: Mp4Boxes, table: Buffer | undefined, sizes: Buffer = emptyBuffer): Generator<number> {
  const runs = boxes.find(table, 'stsc') ?? emptyBuffer;
  const short = boxes.find(table, 'stco');
  const chunks = short ?? boxes.find(table, 'co64') ?? emptyBuffer;
  const positionBytes = short === undefined ? 8 : 4;
  const size = readUint32(sizes, 4);
  let run = 8;
  let sizeAt = 12;
  for (let chunkAt = 8, chunk = 1; chunkAt + positionBytes <= chunks.length; chunkAt += positionBytes, chunk++) {
    if (!boxes.steps.take(1)) return;
    const isNext = run + 2 * CHUNK_RUN_BYTES <= runs.length && readUint32(runs, run + CHUNK_RUN_BYTES) === chunk;
    if (isNext) run += CHUNK_RUN_BYTES;
    let at = short === undefined ? Number(chunks.readBigUInt64BE(chunkAt)) : chunks.readUInt32BE(chunkAt);
    for (let left = readUint32(runs, run + 4); left > 0; left--) {
      yield at;
      at += size > 0 ? size : readUint32(sizes, sizeAt);
      sizeAt += 4;
    }
  }
}

/** Adds up `stts`, the durations of the samples. */
function sumTimeUnits(times: Buffer | undefined): number {
  if (times === undefined) return 0;
  const entries = Math.min(readUint32(times, 4), Math.floor((times.length - 8) / ENTRY_BYTES));
  let units = 0;
  for (let nth = 0, at = 8; nth < entries; nth++, at += ENTRY_BYTES)
    units += times.readUInt32BE(at) * times.readUInt32BE(at + 4);
  return units;
}

/** Adds up `stsz`, the number and sizes of the samples. */
function sumSamples(sizes: Buffer | undefined, fileBytes: number): { samples: number; bytes: number } {
  if (sizes === undefined) return { samples: 0, bytes: 0 };
  const size = readUint32(sizes, 4);
  const samples = readUint32(sizes, 8);
  if (size > 0) {
    const held = Math.min(samples, Math.ceil(fileBytes / size));
    return { samples: held, bytes: Math.min(held * size, fileBytes) };
  }
  const listed = Math.max(0, Math.min(samples, Math.floor((sizes.length - 12) / 4)));
  let bytes = 0;
  for (let nth = 0; nth < listed; nth++) bytes += sizes.readUInt32BE(12 + nth * 4);
  return { samples: listed, bytes: Math.min(bytes, fileBytes) };
}

/** Returns the minimum seconds of samples by their format, regardless of the duration tables. */
function minSampleSeconds(entry: Buffer | undefined, samples: number, timescale: number): number {
  if (entry === undefined) return 0;
  const format = entry.toString('latin1', 4, 8);
  const lengthOf = Object.hasOwn(sampleSeconds, format) ? sampleSeconds[format] : undefined;
  const rate = readSampleRate(entry, timescale);
  // A rate may be NaN, which would invalidate all other lengths.
  return lengthOf !== undefined && rate > 0 ? samples * lengthOf(rate) : 0;
}

/**
 * Returns the sample rate in hertz. Only the second version supports more than 65,535; others store the rate modulo
 * 65,536, or a fraction of it.
 */
function readSampleRate(entry: Buffer, timescale: number): number {
  const isSecond = entry.length >= SECOND_RATE_AT + 8 && entry.readUInt16BE(ENTRY_BYTES + 8) === 2;
  if (isSecond) return entry.readDoubleBE(SECOND_RATE_AT);
  const rate = readUint32(entry, ENTRY_BYTES + 24) / 65_536;
  return timescale % 65_536 === rate || timescale % rate === 0 ? timescale : rate;
}

/** Reads the configuration of AAC in the descriptors of `esds` (ISO/IEC 14496-1). */
function readConfig(boxes: Mp4Boxes, entry: Buffer): AacConfig | undefined {
  if (entry.toString('latin1', 4, 8) !== 'mp4a' || entry.length < ENTRY_BYTES + SOUND_ENTRY_BYTES) return undefined;
  const version = entry.readUInt16BE(ENTRY_BYTES + 8);
  const inner = entry.subarray(ENTRY_BYTES + SOUND_ENTRY_BYTES + (moreBytes[version] ?? 0));
  const stream = boxes.find(inner, 'esds') ?? boxes.find(inner, 'wave', 'esds');
  const config = stream && specificConfig(stream.subarray(4), boxes.steps);
  return config && readAacConfig(config);
}

const STREAM = 3;
const DECODER = 4;
const SPECIFIC = 5;
/** Bytes of a descriptor's own fields, which precede its nested descriptors. */
const fields: Readonly<Record<number, number>> = { [STREAM]: 3, [DECODER]: 13 };

function specificConfig(descriptors: Buffer, steps: StepBudget): Buffer | undefined {
  let at = 0;
  while (at + 2 <= descriptors.length && steps.take(1)) {
    const tag = descriptors[at] ?? 0;
    let size = 0;
    let byte = 0x80;
    for (at++; (byte & 0x80) !== 0 && at < descriptors.length; at++) {
      byte = descriptors[at] ?? 0;
      size = size * 128 + (byte & 0x7f);
    }
    if (tag === SPECIFIC) return descriptors.subarray(at, at + size);
    at += fields[tag] ?? size;
  }
  return undefined;
}

/** Finder of a file's boxes by name (ISO/IEC 14496-12). */
export class Mp4Boxes {
  readonly steps: StepBudget;

  constructor(steps: StepBudget) {
    this.steps = steps;
  }

  /** Yields the contents of the boxes of one level with a name; stops at an unreadable box. */
  *all(within: Buffer, name: string): Generator<Buffer> {
    const code = Buffer.from(name, 'latin1').readUInt32BE(0);
    let at = 0;
    this.steps.take(SEARCH_STEPS);
    while (at + HEADER_BYTES <= within.length) {
      const short = within.readUInt32BE(at);
      const isLong = short === 1 && at + LONG_HEADER_BYTES <= within.length;
      const size = isLong ? Number(within.readBigUInt64BE(at + HEADER_BYTES)) : short;
      const header = isLong ? LONG_HEADER_BYTES : HEADER_BYTES;
      // 0 means to the end of the file.
      const end = size === 0 ? within.length : Math.min(at + size, within.length);
      if (end < at + header) return;
      const isFound = within.readUInt32BE(at + 4) === code && end > at + header;
      if (!this.steps.take(isFound ? FOUND_STEPS : 1)) return;
      if (isFound) yield within.subarray(at + header, end);
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
