import type { AudioDuration } from './recording-usage.ts';

/**
 * Minimum share of consecutive frames. Cut or joined files have other data in between; a file with less is of another
 * kind.
 */
const SHARE_MIN = 0.5;
/**
 * Maximum frames, nine hours of MP3. The cost of a frame doesn't depend on its size, and a file of empty ones has
 * millions.
 */
const FRAMES_MAX = 1_250_000;

export interface Frame {
  /** Bytes of the frame including its header; greater than 0. */
  bytes: number;
  seconds: number;
}

/** Reads the frame whose header starts at a position; at least the header's bytes follow. */
export type FrameReader = (file: Buffer, at: number) => Frame | undefined;

/** Sum of a file's frames; the part after the last frame that is read counts like the part before. */
export interface FrameSum {
  seconds: number;
  /** Undefined if less than half of the file is consecutive frames. */
  time: AudioDuration | undefined;
}

/**
 * Adds up all frames one by one, since the bit rate may change, and skips data in between. A frame starts with the
 * byte 255, which another 255 never follows.
 */
export function sumFrames(file: Buffer, headerBytes: number, frameAt: FrameReader): FrameSum {
  const end = file.length - headerBytes;
  let seconds = 0;
  let bytesInRow = 0;
  let frames = 0;
  let at = 0;
  let endOfLast = 0;
  while (at <= end && frames < FRAMES_MAX) {
    const isSync = file[at] === 0xff && file[at + 1] !== 0xff;
    const frame = isSync ? frameAt(file, at) : undefined;
    if (frame === undefined) {
      at++;
      continue;
    }
    frames++;
    seconds += frame.seconds;
    if (at === endOfLast) bytesInRow += frame.bytes;
    at += frame.bytes;
    endOfLast = at;
  }
  const share = at > end ? 1 : at / file.length;
  const isMostlyFrames = frames > 0 && bytesInRow >= file.length * share * SHARE_MIN;
  const heard = seconds / share;
  return { seconds: heard, time: isMostlyFrames ? { playedSeconds: heard } : undefined };
}

/** Bytes of a frame's content by its type (RFC 4867, section 5.3). */
const narrow = [12, 13, 15, 17, 19, 20, 26, 31, 5];
const wide = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5];
const heads = [
  ['#!AMR-WB\n', wide],
  ['#!AMR\n', narrow],
] as const;
const FRAME_SECONDS = 0.02;

/** Returns the length from the frames of AMR, a telephony codec. */
export function measureAmr(file: Buffer): AudioDuration | undefined {
  for (const [head, sizes] of heads) {
    if (file.toString('latin1', 0, head.length) !== head) continue;
    let frames = 0;
    for (let at = head.length; at < file.length; at += 1 + (sizes[((file[at] ?? 0) >>> 3) & 15] ?? 0)) frames++;
    return { playedSeconds: frames * FRAME_SECONDS };
  }
  return undefined;
}
