import {
  type AudioDuration,
  extrapolateSeconds,
  StepBudget,
  validateStatedLength,
} from './duration-and-step-budget.ts';
import { findSync, SEARCH_STEPS } from './frame-sum.ts';

const STREAM_INFO = 8;
const STREAM_INFO_END = STREAM_INFO + 34;
/** Minimum bytes of a frame with its header and checksums. */
const FRAME_BYTES_MIN = 10;
/** Steps of a header with its checksum. */
const HEADER_STEPS = 4;

/**
 * Sample rates in hertz by their code in a frame header; 0: the stream's. The next three codes mean that the rate
 * follows the header.
 */
const sampleRates = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
] as const;
const RATE_IN_KILOHERTZ = 12;
const RATE_IN_HERTZ = 13;
const RATE_IN_TENS = 14;
const RATE_INVALID = 15;

interface FlacFrame {
  samples: number;
  /** Undefined: the stream's rate. */
  sampleRate: number | undefined;
  /** Bits that all frames of a stream share. */
  kind: number;
}

/**
 * Returns the length from the number of samples in the first block, and from the following frames (RFC 9639). Frames
 * are recognized by the header's checksum, and by the bits that they share.
 */
export function measureFlac(file: Buffer, steps: StepBudget): AudioDuration | undefined {
  if (!isFlac(file)) return undefined;
  const sampleRate = flacSampleRate(file);
  const samples = (file.readUInt32BE(STREAM_INFO + 10) & 15) * 2 ** 32 + file.readUInt32BE(STREAM_INFO + 14);
  const heard = secondsOfFrames(file.subarray(STREAM_INFO_END), sampleRate, steps);
  if (heard === 0) return undefined;
  return {
    playedSeconds: heard,
    statedSeconds: sampleRate === 0 ? undefined : validateStatedLength(samples / sampleRate),
  };
}

/** Returns the seconds of the frames in a part of a file; 0 for another format. @param head start of the file */
export function flacPartSeconds(head: Buffer, part: Buffer): number {
  return isFlac(head) ? secondsOfFrames(part, flacSampleRate(head), new StepBudget(part.length)) : 0;
}

function isFlac(file: Buffer): boolean {
  return file.toString('latin1', 0, 4) === 'fLaC' && file.length >= STREAM_INFO_END;
}

/** Returns the stream's sample rate in hertz from the start of its file; 0 without one. */
export function flacSampleRate(file: Buffer): number {
  return file.length < STREAM_INFO_END ? 0 : file.readUInt32BE(STREAM_INFO + 10) >>> 12;
}

/** Returns the seconds of the frame at a position; 0 without one. */
export function flacFrameSeconds(file: Buffer, at: number, streamRate: number): number {
  const frame = readFlacFrame(file, at);
  const rate = frame?.sampleRate ?? streamRate;
  return frame === undefined || rate === 0 ? 0 : frame.samples / rate;
}

/** Returns the seconds of the largest group of frames of one kind. */
function secondsOfFrames(frames: Buffer, streamRate: number, steps: StepBudget): number {
  const seconds = new Map<number, number>();
  let at = 0;
  while (at + FRAME_BYTES_MIN <= frames.length) {
    const frame = readFlacFrame(frames, at);
    if (!steps.take(frame === undefined ? SEARCH_STEPS : HEADER_STEPS)) break;
    const rate = frame?.sampleRate ?? streamRate;
    if (frame !== undefined && rate > 0) seconds.set(frame.kind, (seconds.get(frame.kind) ?? 0) + frame.samples / rate);
    at = findSync(frames, at + (frame === undefined ? 1 : FRAME_BYTES_MIN));
  }
  const heard = Math.max(0, ...seconds.values());
  return steps.isExhausted ? extrapolateSeconds(heard, at, frames.length) : heard;
}

function readFlacFrame(file: Buffer, at: number): FlacFrame | undefined {
  if (at + FRAME_BYTES_MIN > file.length || file.readUInt16BE(at) >>> 1 !== 0x7ffc) return undefined;
  const header = file.readUInt32BE(at);
  const blockCode = (header >>> 12) & 15;
  const rateCode = (header >>> 8) & 15;
  const channels = (header >>> 4) & 15;
  const isReserved = (header & 1) === 1 || blockCode === 0 || rateCode === RATE_INVALID || channels > 10;
  const numberBytes = bytesOfNumber(file[at + 4] ?? 0);
  if (isReserved || numberBytes === 0) return undefined;
  const blockAt = at + 4 + numberBytes;
  const rateAt = blockAt + (blockCode === 6 ? 1 : blockCode === 7 ? 2 : 0);
  const sumAt = rateAt + (rateCode === RATE_IN_KILOHERTZ ? 1 : rateCode > RATE_IN_KILOHERTZ ? 2 : 0);
  if (sumAt >= file.length || checksum(file, at, sumAt) !== file[sumAt]) return undefined;
  return {
    samples: blockSamples(file, blockCode, blockAt),
    sampleRate: readSampleRate(file, rateCode, rateAt),
    // Sync code and blocking strategy, rate code, sample size.
    kind: (header >>> 16) * 2 ** 8 + rateCode * 2 ** 4 + ((header >>> 1) & 7),
  };
}

/** Returns the bytes of a UTF-8 coded number; 0 for an invalid one. */
function bytesOfNumber(first: number): number {
  if (first < 0x80) return 1;
  const ones = Math.clz32(~(first << 24));
  return ones >= 2 && ones <= 7 ? ones : 0;
}

function blockSamples(file: Buffer, code: number, at: number): number {
  if (code === 1) return 192;
  if (code <= 5) return 576 * 2 ** (code - 2);
  if (code === 6) return (file[at] ?? 0) + 1;
  return code === 7 ? file.readUInt16BE(at) + 1 : 256 * 2 ** (code - 8);
}

function readSampleRate(file: Buffer, code: number, at: number): number | undefined {
  if (code === RATE_IN_KILOHERTZ) return (file[at] ?? 0) * 1_000 || undefined;
  if (code === RATE_IN_HERTZ) return file.readUInt16BE(at) || undefined;
  if (code === RATE_IN_TENS) return file.readUInt16BE(at) * 10 || undefined;
  return sampleRates[code] || undefined;
}

const crcTable = Array.from({ length: 256 }, (_, value) => {
  let rest = value;
  for (let bit = 0; bit < 8; bit++) rest = rest & 0x80 ? ((rest << 1) ^ 0x07) & 0xff : (rest << 1) & 0xff;
  return rest;
});

function checksum(file: Buffer, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum = crcTable[sum ^ (file[at] ?? 0)] ?? 0;
  return sum;
}
