import { type AacConfig, aacSeconds, readAacConfig } from './aac-length.ts';
import { flacFrameSeconds, flacSampleRate } from './flac-length.ts';
import { mp3FrameSeconds } from './mp3-length.ts';
import { opusSeconds, readVorbisHeaders } from './ogg-packets.ts';

/** Elements of EBML (RFC 8794), the format of WebM and Matroska. */

export interface Element {
  id: number;
  /** Position where the content starts; `to` is its end, undefined if unknown. */
  from: number;
  to: number | undefined;
}

export function readElement(file: Buffer, at: number): Element | undefined {
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

export function readUint(file: Buffer, { from, to = from }: Element): number {
  const bytes = Math.min(to, file.length) - from;
  return bytes >= 1 && bytes <= 6 ? file.readUIntBE(from, bytes) : 0;
}

export function readFloat(file: Buffer, { from, to = from }: Element): number {
  if (to > file.length) return 0;
  const value = to - from === 8 ? file.readDoubleBE(from) : to - from === 4 ? file.readFloatBE(from) : 0;
  return value > 0 ? value : 0;
}

export function readElementBytes(file: Buffer, { from, to = from }: Element): Buffer {
  return file.subarray(from, to);
}

/** Block in a cluster. */
export interface Block {
  track: number;
  /** Time relative to its cluster. */
  time: number;
  /** Number of frames in the block, which starts with their sizes. */
  frames: number;
  /** Position of the first frame; the end is the element's. */
  from: number;
}

const LACING = 0x06;
const FIXED_SIZES = 0x04;

export function readBlock(file: Buffer, from: number): Block | undefined {
  const trackBytes = Math.clz32(file[from] ?? 0) - 23;
  const at = from + trackBytes;
  if (trackBytes > 4 || at + 3 > file.length) return undefined;
  const track = file.readUIntBE(from, trackBytes) & (2 ** (7 * trackBytes) - 1);
  const time = file.readInt16BE(at);
  const lacing = (file[at + 2] ?? 0) & LACING;
  if (lacing === 0) return { track, time, frames: 1, from: at + 3 };
  const frames = (file[at + 3] ?? 0) + 1;
  return { track, time, frames, from: at + 4 + (lacing === FIXED_SIZES ? 0 : sizeBytes(file, at + 4, frames, lacing)) };
}

/** Returns the bytes of the sizes before the frames, of all but the last frame. */
function sizeBytes(file: Buffer, from: number, frames: number, lacing: number): number {
  let at = from;
  const isEbml = lacing === LACING;
  for (let nth = 1; nth < frames; nth++) {
    if (isEbml) at += Math.clz32(file[at] ?? 0) - 23;
    else {
      while (file[at] === 0xff) at++;
      at++;
    }
  }
  return at - from;
}

/** Returns the seconds of an audio frame. */
type FrameLength = (frame: Buffer) => number;

const XIPH_HEADERS = 2;

/**
 * Returns the function for a track's frame lengths; undefined for codecs whose blocks don't show them.
 * https://www.matroska.org/technical/codec_specs.html
 * @param setup the track's private data
 */
export function createFrameLength(codec: string, setup: Buffer): FrameLength | undefined {
  if (codec === 'A_OPUS') return opusSeconds;
  if (codec === 'A_MPEG/L3') return mp3FrameSeconds;
  if (codec === 'A_FLAC') return (frame) => flacFrameSeconds(frame, flacSampleRate(setup));
  if (codec === 'A_VORBIS') return createVorbisFrameLength(setup);
  const config = codec.startsWith('A_AAC') ? readAacConfig(setup) : undefined;
  return config && createAacFrameLength(config);
}

function createAacFrameLength(config: AacConfig): FrameLength {
  return (frame) => aacSeconds(config, 1, frame.length);
}

/** Creates Vorbis' function. The setup has three consecutive headers, preceded by the sizes of the first two. */
function createVorbisFrameLength(setup: Buffer): FrameLength | undefined {
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
  return packets && ((frame) => packets.secondsOf(frame[0] ?? 1));
}
