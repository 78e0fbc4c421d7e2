import { sumAacFrames } from './aac-length.ts';
import { type AudioDuration, extrapolateSeconds, type StepBudget } from './duration-and-step-budget.ts';
import { sumMp3Frames } from './mp3-and-amr-length.ts';

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const CHUNK_STEPS = 4;
const FORMAT_BYTES = 16;
const heads = new Set(['RIFF', 'RF64', 'BW64']);
const FORMAT = 0x666d7420;
const DATA = 0x64617461;
/** Sizes that recorders write while the end is unknown. */
const unknownSizes = new Set([0, 0xffffffff]);

/** Codec number of an extensible format, whose codec is the first field of its subformat. */
const EXTENSIBLE = 0xfffe;
const SUBFORMAT = 24;
/** Maximum bits of a sample. */
const BITS_MAX = 64;

/** Storage format of the samples. */
interface Format {
  codec: number;
  channels: number;
  sampleRate: number;
  bytesPerSecond: number;
  blockBytes: number;
  bits: number;
}

/** Returns the seconds of a number of bytes; undefined for an unplayable format. */
type Playback = (format: Format, content: Buffer, steps: StepBudget) => number | undefined;

/**
 * Codecs by number. Decoders ignore the stated bytes per second.
 * https://www.rfc-editor.org/rfc/rfc2361
 */
const codecs: Readonly<Record<number, Playback>> = {
  0x0001: plain,
  0x0003: plain,
  0x0002: adpcm({ headerBytes: 7, headerSamples: 2 }),
  0x0006: ({ sampleRate, channels }, { length }) => length / (sampleRate * channels),
  0x0007: ({ sampleRate, channels }, { length }) => length / (sampleRate * channels),
  0x0011: adpcm({ headerBytes: 4, headerSamples: 1 }),
  0x0020: createBitPlayback(4),
  // GSM 06.10: 320 samples in 65 bytes.
  0x0031: ({ sampleRate }, { length }) => ((length / 65) * 320) / sampleRate,
  0x0045: createBitPlayback(2),
  0x0050: (_, content, steps) => sumMp3Frames(content, steps).seconds,
  0x0055: (_, content, steps) => sumMp3Frames(content, steps).seconds,
  0x00ff: (_, content, steps) => sumAacFrames(content, steps).seconds,
  0x1600: (_, content, steps) => sumAacFrames(content, steps).seconds,
};

/**
 * Returns the length from the format and the bytes that actually follow it. The stated sizes are unreliable: a
 * recorder that didn't know the end writes arbitrary values, and audio may have several chunks.
 */
export function measureWav(file: Buffer, steps: StepBudget): AudioDuration | undefined {
  if (!heads.has(file.toString('latin1', 0, 4)) || file.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let format: Format | undefined;
  let heard: number | undefined;
  let at = HEADER_BYTES;
  while (at + CHUNK_HEADER_BYTES <= file.length && steps.take(CHUNK_STEPS)) {
    const id = file.readUInt32BE(at);
    const size = file.readUInt32LE(at + 4);
    const from = at + CHUNK_HEADER_BYTES;
    const to = Math.min(file.length, unknownSizes.has(size) && id === DATA ? file.length : from + size);
    if (id === FORMAT) format ??= readFormat(file.subarray(from, to));
    if (id === DATA && format !== undefined) {
      const seconds = secondsOf(format, file.subarray(from, to), steps);
      if (seconds === undefined) return undefined;
      heard = (heard ?? 0) + seconds;
    }
    at = to + (size % 2);
  }
  if (heard === undefined) return undefined;
  return { playedSeconds: steps.isExhausted ? extrapolateSeconds(heard, at, file.length) : heard };
}

function readFormat(chunk: Buffer): Format | undefined {
  if (chunk.length < FORMAT_BYTES) return undefined;
  const codec = chunk.readUInt16LE(0);
  const isExtensible = codec === EXTENSIBLE && chunk.length >= SUBFORMAT + 2;
  return {
    codec: isExtensible ? chunk.readUInt16LE(SUBFORMAT) : codec,
    channels: chunk.readUInt16LE(2),
    sampleRate: chunk.readUInt32LE(4),
    bytesPerSecond: chunk.readUInt32LE(8),
    blockBytes: chunk.readUInt16LE(12),
    bits: chunk.readUInt16LE(14),
  };
}

function secondsOf(format: Format, content: Buffer, steps: StepBudget): number | undefined {
  const { codec, channels, sampleRate } = format;
  if (channels === 0 || sampleRate === 0) return undefined;
  return (codecs[codec] ?? playAtStatedRate)(format, content, steps);
}

function plain({ sampleRate, channels, bits }: Format, { length }: Buffer): number | undefined {
  if (bits === 0 || bits > BITS_MAX) return undefined;
  return length / (sampleRate * channels * Math.ceil(bits / 8));
}

/** Returns the playback of samples with a fixed number of bits. @param usual default if the file states none */
function createBitPlayback(usual: number): Playback {
  return ({ sampleRate, channels, bits }, { length }) =>
    (length * 8) / (sampleRate * channels * (bits >= 2 && bits <= 5 ? bits : usual));
}

/** Returns the playback of blocks that start with a header per channel, which contains the first samples. */
function adpcm({ headerBytes, headerSamples }: { headerBytes: number; headerSamples: number }): Playback {
  return (format, content, steps) => {
    const { sampleRate, channels, blockBytes, bits } = format;
    const bytes = blockBytes - headerBytes * channels;
    if (bytes <= 0) return createBitPlayback(4)(format, content, steps);
    const perSample = (bits >= 2 && bits <= 5 ? bits : 4) * channels;
    const samples = (bytes * 8) / perSample + headerSamples;
    return ((content.length / blockBytes) * samples) / sampleRate;
  };
}

/** Maximum bytes per second of speech in an unknown codec, about 64 kbit/s. */
const STATED_RATE_MAX = 8_000;

function playAtStatedRate({ bytesPerSecond }: Format, { length }: Buffer): number {
  return length / Math.min(bytesPerSecond || STATED_RATE_MAX, STATED_RATE_MAX);
}
