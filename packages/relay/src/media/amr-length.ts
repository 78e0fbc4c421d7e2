import type { AudioDuration } from './audio-duration.ts';

/** Bytes of a frame's content by its type (RFC 4867, section 5.3). */
const narrow = [12, 13, 15, 17, 19, 20, 26, 31, 5];
const wide = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5];
const heads = [
  ['#!AMR-WB\n', wide],
  ['#!AMR\n', narrow],
] as const;
const FRAME_SECONDS = 0.02;

/** Returns the length from the frames of AMR, the codec of telephones. */
export function measureAmr(file: Buffer): AudioDuration | undefined {
  for (const [head, sizes] of heads) {
    if (file.toString('latin1', 0, head.length) !== head) continue;
    let frames = 0;
    for (let at = head.length; at < file.length; at += 1 + (sizes[((file[at] ?? 0) >>> 3) & 15] ?? 0))
      frames++;
    return { playedSeconds: frames * FRAME_SECONDS };
  }
  return undefined;
}
