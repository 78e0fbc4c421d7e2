import { type AudioDuration, extrapolateSeconds, type StepBudget } from './duration-and-step-budget.ts';

/**
 * Minimum share of consecutive frames. Cut or joined files have other data in between; a file with less is of another
 * kind.
 */
const SHARE_MIN = 0.5;
/** Steps of a search for the next frame. */
export const SEARCH_STEPS = 1;

export interface Frame {
  /** Bytes of the frame including its header; greater than 0. */
  bytes: number;
  seconds: number;
}

/** Reads the frame whose header starts at a position; at least the header's bytes follow. */
type FrameReader = (file: Buffer, at: number) => Frame | undefined;

/** Sum of a file's frames. */
export interface FrameSum {
  seconds: number;
  /** Undefined if less than half of the part that was read is consecutive frames. */
  time: AudioDuration | undefined;
}

/** Adds up all frames one by one, since the bit rate may change, and skips data in between. */
export function sumFrames(file: Buffer, steps: StepBudget, headerBytes: number, frameAt: FrameReader): FrameSum {
  const end = file.length - headerBytes;
  let seconds = 0;
  let bytesInRow = 0;
  let at = 0;
  let endOfLast = 0;
  while (at <= end) {
    const frame = frameAt(file, at);
    if (!steps.take(frame === undefined ? SEARCH_STEPS : 1)) break;
    if (frame === undefined) {
      at = findSync(file, at + 1);
      continue;
    }
    seconds += frame.seconds;
    if (at === endOfLast) bytesInRow += frame.bytes;
    at += frame.bytes;
    endOfLast = at;
  }
  const readBytes = at > end ? file.length : at;
  const heard = extrapolateSeconds(seconds, readBytes, file.length);
  const isMostlyFrames = bytesInRow > 0 && bytesInRow >= readBytes * SHARE_MIN;
  return { seconds: heard, time: isMostlyFrames ? { playedSeconds: heard } : undefined };
}

/**
 * Returns the next position with the first bits of a frame of MPEG audio or FLAC, in bytes of 255 and of 224 to 254; the
 * file's length without any. Every second byte shows whether it is one of the two.
 */
export function findSync(file: Buffer, from: number): number {
  for (let at = from + 1; at < file.length; at += 2) {
    const byte = file[at] ?? 0;
    if (byte < 0xe0) continue;
    if (byte !== 0xff && file[at - 1] === 0xff) return at - 1;
    const next = byte === 0xff ? (file[at + 1] ?? 0) : 0;
    if (next >= 0xe0 && next !== 0xff) return at;
  }
  return file.length;
}
