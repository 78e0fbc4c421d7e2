import { type AudioDuration, extrapolateSeconds, type StepBudget } from './duration-and-step-budget.ts';
import { type Frame, type FrameSum, sumFrames } from './frame-sum.ts';

/** Bytes of a frame's content by its type (RFC 4867, section 5.3). */
const narrow = [12, 13, 15, 17, 19, 20, 26, 31, 5];
const wide = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5];
const heads = [
  ['#!AMR-WB\n', wide],
  ['#!AMR\n', narrow],
] as const;
const FRAME_SECONDS = 0.02;
/**
 * Kilobits per second by the index in a frame header (ISO/IEC 11172-3, 13818-3), for MPEG 1 and for MPEG 2 and 2.5.
 */
const bitRates = {
  first: {
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0],
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  },
  second: {
    2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
    3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
  },
} as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;
/** Layers by their bits in the header; layer I is unsupported. */
const layers = [undefined, 3, 2, undefined] as const;
const HEADER_BYTES = 4;

/** Returns the length from the frames of AMR, a telephony codec. */
export function measureAmr(file: Buffer, steps: StepBudget): AudioDuration | undefined {
  for (const [head, sizes] of heads) {
    if (file.toString('latin1', 0, head.length) !== head) continue;
    let frames = 0;
    let at = head.length;
    for (; at < file.length && steps.take(1); at += 1 + (sizes[((file[at] ?? 0) >>> 3) & 15] ?? 0)) frames++;
    return { playedSeconds: extrapolateSeconds(frames * FRAME_SECONDS, at, file.length) };
  }
  return undefined;
}

/** Adds up the frames of MPEG audio; layer III is MP3. */
export function sumMp3Frames(file: Buffer, steps: StepBudget): FrameSum {
  return sumFrames(file, steps, HEADER_BYTES, readFrame);
}

/** Returns the seconds of the frame at a position; 0 without one. */
export function mp3FrameSeconds(file: Buffer, at: number): number {
  return at + HEADER_BYTES > file.length ? 0 : (readFrame(file, at)?.seconds ?? 0);
}

function readFrame(file: Buffer, at: number): Frame | undefined {
  const header = file.readUInt32BE(at);
  const version = (header >>> 19) & 3;
  const layer = layers[(header >>> 17) & 3];
  const rate = SAMPLE_RATES[(header >>> 10) & 3];
  if (header >>> 21 !== 0x7ff || version === 1 || layer === undefined || rate === undefined) return undefined;
  const isFirst = version === 3;
  const kilobits = bitRates[isFirst ? 'first' : 'second'][layer][(header >>> 12) & 15] ?? 0;
  if (kilobits === 0) return undefined;
  const sampleRate = isFirst ? rate : rate / (version === 2 ? 2 : 4);
  const samples = layer === 3 && !isFirst ? 576 : 1_152;
  const padding = (header >>> 9) & 1;
  const bytes = Math.floor((samples / 8) * ((kilobits * 1_000) / sampleRate)) + padding;
  return { bytes, seconds: samples / sampleRate };
}
