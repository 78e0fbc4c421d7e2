import { emptyBuffer } from '../json/json.ts';
import { aacSeconds, readAacConfig } from './aac-length.ts';
import {
  type AudioDuration,
  extrapolateSeconds,
  type PacketLength,
  type StepBudget,
  validateStatedLength,
} from './duration-and-step-budget.ts';
import { flacFrameSeconds, flacSampleRate } from './flac-length.ts';
import { mp3FrameSeconds } from './mp3-and-amr-length.ts';
import { opusSeconds, readVorbisHeaders } from './ogg-length.ts';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const CODEC = 0x86;
const CODEC_PRIVATE = 0x63a2;
const AUDIO = 0xe1;
const SAMPLE_RATE = 0xb5;
const CHANNELS = 0x9f;
const BIT_DEPTH = 0x6264;
const CLUSTER = 0x1f43b675;
const CLUSTER_TIME = 0xe7;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;
/** Elements whose contents are read; their size may be unknown, as in browsers' recordings. */
const containers = new Set([SEGMENT, INFO, TRACKS, TRACK, AUDIO, CLUSTER, BLOCK_GROUP]);

/** Steps of an element. */
const ELEMENT_STEPS = 2;
const DEFAULT_SCALE = 1_000_000;
const RATE_DEFAULT = 8_000;
const NANOSECONDS = 1_000_000_000;
const SOUND = 2;
const TRACKS_MAX = 100;
/** Maximum bytes per second, 20 Mbit/s, since videos may be uploaded as well. */
const BYTES_PER_SECOND_MAX = 2_500_000;
const LACING = 0x06;
const FIXED_SIZES = 0x04;
const XIPH_HEADERS = 2;

interface Track {
  type: number;
  /** Name of the codec. */
  codec: Buffer;
  /** The track's private data. */
  setup: Buffer;
  rate: number;
  channels: number;
  bits: number;
  /** Seconds of the frames that have been read. */
  seconds: number;
  /** Function for the length of a frame, or bytes per second. */
  lengthOf: PacketLength | number | undefined | 'unread';
}

/**
 * Returns the length from the file's header and from the frames of its longest audio track, for WebM and Matroska
 * (RFC 9559). A recorder's header may lack the length; then the time of the last block states it.
 */
export function measureWebm(file: Buffer, steps: StepBudget): AudioDuration | undefined {
  const first = readElement(file, 0);
  if (first?.id !== EBML) return undefined;
  const { seconds, claimed, readBytes } = new WebmReader(file).read(first, steps);
  if (seconds + claimed === 0) return undefined;
  const heard = extrapolateSeconds(seconds || claimed, readBytes, file.length);
  return {
    playedSeconds: Math.max(heard, file.length / BYTES_PER_SECOND_MAX),
    statedSeconds: validateStatedLength(claimed),
  };
}

class WebmReader {
  readonly #file: Buffer;
  /** Largest timescale: a second, smaller one would shorten all times. */
  #scale = 0;
  #duration = 0;
  #clusterTime = 0;
  /** A recorder that joins a running stream writes its first block with a late time. */
  #firstTime = Number.POSITIVE_INFINITY;
  #lastTime = 0;
  #track: Track | undefined;
  readonly #tracks = new Map<number, Track>();

  constructor(file: Buffer) {
    this.#file = file;
  }

  /** @returns `readBytes`: number of bytes read before the limit, or all */
  read(first: Element, steps: StepBudget): { seconds: number; claimed: number; readBytes: number } {
    const file = this.#file;
    let element: Element | undefined = first;
    let readBytes = file.length;
    while (element !== undefined) {
      const { id, from, to }: Element = element;
      if (!steps.take(ELEMENT_STEPS)) {
        readBytes = from;
        break;
      }
      this.#add(element);
      const next: number | undefined = containers.has(id) ? from : to;
      element = next === undefined ? undefined : readElement(file, next);
    }
    const scale = (this.#scale || DEFAULT_SCALE) / NANOSECONDS;
    return {
      seconds: Math.max(0, ...[...this.#tracks.values()].map(({ seconds }) => seconds)),
      claimed: Math.max(validateStatedLength(this.#duration * scale) ?? 0, (this.#lastTime - this.#firstTime) * scale),
      readBytes,
    };
  }

  #add(element: Element): void {
    const file = this.#file;
    switch (element.id) {
      case SCALE:
        this.#scale = Math.max(this.#scale, readUint(file, element));
        break;
      case DURATION:
        this.#duration = Math.max(this.#duration, readFloat(file, element));
        break;
      case TRACK:
        this.#addTrack();
        break;
      case CLUSTER_TIME:
        this.#clusterTime = readUint(file, element);
        break;
      case BLOCK:
      case SIMPLE_BLOCK:
        this.#addBlock(element);
        break;
      default:
        this.#describe(element);
    }
  }

  #addTrack(): void {
    const audio = { rate: RATE_DEFAULT, channels: 1, bits: 0 };
    this.#track = { type: 0, codec: emptyBuffer, setup: emptyBuffer, ...audio, seconds: 0, lengthOf: 'unread' };
  }

  #describe(element: Element): void {
    const track = this.#track;
    if (track === undefined) return;
    if (element.id === TRACK_NUMBER && this.#tracks.size < TRACKS_MAX)
      this.#tracks.set(readUint(this.#file, element), track);
    if (element.id === TRACK_TYPE) track.type = readUint(this.#file, element);
    if (element.id === CODEC) track.codec = readElementBytes(this.#file, element);
    if (element.id === CODEC_PRIVATE) track.setup = readElementBytes(this.#file, element);
    if (element.id === SAMPLE_RATE) track.rate = readFloat(this.#file, element);
    if (element.id === CHANNELS) track.channels = readUint(this.#file, element);
    if (element.id === BIT_DEPTH) track.bits = readUint(this.#file, element);
  }

  #addBlock(element: Element): void {
    const block = readBlock(this.#file, element);
    if (block === undefined) return;
    const time = this.#clusterTime + block.time;
    this.#firstTime = Math.min(this.#firstTime, time);
    this.#lastTime = Math.max(this.#lastTime, time);
    const track = this.#tracks.get(block.track);
    if (track === undefined || track.type !== SOUND) return;
    if (track.lengthOf === 'unread') track.lengthOf = createFrameLength(track);
    if (track.lengthOf === undefined) return;
    const end = Math.min(element.to ?? this.#file.length, this.#file.length);
    track.seconds +=
      typeof track.lengthOf === 'number'
        ? Math.max(0, end - block.from) / track.lengthOf
        : track.lengthOf(this.#file, block.from, end) * block.frames;
  }
}

/** Element of EBML (RFC 8794), the format of WebM and Matroska. */
interface Element {
  id: number;
  /** Position where the content starts; `to` is its end, undefined if unknown. */
  from: number;
  to: number | undefined;
}

function readElement(file: Buffer, at: number): Element | undefined {
  const idBytes = Math.clz32(file[at] ?? 0) - 23;
  if (idBytes > 4 || at + idBytes >= file.length) return undefined;
  const sizeAt = at + idBytes;
  const sizeBytes = Math.clz32(file[sizeAt] ?? 0) - 23;
  const from = sizeAt + sizeBytes;
  if (sizeBytes > 8 || from > file.length) return undefined;
  let size = (file[sizeAt] ?? 0) & (0xff >>> sizeBytes);
  for (let byte = sizeAt + 1; byte < from; byte++) size = size * 256 + (file[byte] ?? 0);
  const isUnknown = size >= 2 ** (7 * sizeBytes) - 1;
  return { id: file.readUIntBE(at, idBytes), from, to: isUnknown ? undefined : from + size };
}

function readUint(file: Buffer, { from, to = from }: Element): number {
  const bytes = Math.min(to, file.length) - from;
  return bytes >= 1 && bytes <= 6 ? file.readUIntBE(from, bytes) : 0;
}

function readFloat(file: Buffer, { from, to = from }: Element): number {
  if (to > file.length) return 0;
  const value = to - from === 8 ? file.readDoubleBE(from) : to - from === 4 ? file.readFloatBE(from) : 0;
  return value > 0 ? value : 0;
}

function readElementBytes(file: Buffer, { from, to = from }: Element): Buffer {
  return file.subarray(from, to);
}

/** Block in a cluster. */
interface Block {
  track: number;
  /** Time relative to its cluster. */
  time: number;
  /** Number of frames in the block, which starts with their sizes. */
  frames: number;
  /** Position of the first frame; the end is the element's. */
  from: number;
}

function readBlock(file: Buffer, { from, to }: Element): Block | undefined {
  const trackBytes = Math.clz32(file[from] ?? 0) - 23;
  const at = from + trackBytes;
  if (trackBytes > 4 || at + 3 > file.length) return undefined;
  const track = file.readUIntBE(from, trackBytes) & (2 ** (7 * trackBytes) - 1);
  const time = file.readInt16BE(at);
  const lacing = (file[at + 2] ?? 0) & LACING;
  if (lacing === 0) return { track, time, frames: 1, from: at + 3 };
  const frames = (file[at + 3] ?? 0) + 1;
  const skipped = lacing === FIXED_SIZES ? 0 : sizeBytes(file.subarray(at + 4, to), frames, lacing);
  return { track, time, frames, from: at + 4 + skipped };
}

/**
 * Returns the bytes of the sizes before the frames, of all but the last frame.
 * @param block rest of the block; sizes that continued after it would be read again for each of a million blocks
 */
function sizeBytes(block: Buffer, frames: number, lacing: number): number {
  let at = 0;
  const isEbml = lacing === LACING;
  for (let nth = 1; nth < frames && at < block.length; nth++) {
    if (isEbml) at += Math.clz32(block[at] ?? 0) - 23;
    else {
      while (block[at] === 0xff) at++;
      at++;
    }
  }
  return at;
}

/**
 * Returns the function for a track's frame lengths, or the bytes per second of uncompressed sound; undefined for codecs whose
 * blocks don't show them. https://www.matroska.org/technical/codec_specs.html
 */
function createFrameLength({ codec: name, setup, rate, channels, bits }: Track): PacketLength | number | undefined {
  const codec = name.toString('latin1', 0, 32);
  if (codec.startsWith('A_PCM')) return (rate * channels * bits) / 8 || undefined;
  if (codec === 'A_OPUS') return opusSeconds;
  if (codec === 'A_MPEG/L3') return mp3FrameSeconds;
  if (codec === 'A_FLAC') return (file, at) => flacFrameSeconds(file, at, flacSampleRate(setup));
  if (codec === 'A_VORBIS') return createVorbisFrameLength(setup);
  const config = codec.startsWith('A_AAC') ? readAacConfig(setup) : undefined;
  return config && ((_, from, to) => aacSeconds(config, 1, to - from));
}

/** Creates Vorbis' function. The setup has three consecutive headers, preceded by the sizes of the first two. */
function createVorbisFrameLength(setup: Buffer): PacketLength | undefined {
  const sizes: number[] = [];
  let at = 1;
  while (sizes.length < XIPH_HEADERS && at < setup.length) {
    let size = 0;
    for (; setup[at] === 0xff; at++) size += 0xff;
    sizes.push(size + (setup[at] ?? 0));
    at++;
  }
  const [first = 0, second = 0] = sizes;
  const packets = readVorbisHeaders(setup.subarray(at, at + first), setup.subarray(at + first + second));
  return packets && ((file, at) => packets.secondsOf(file[at] ?? 1));
}
