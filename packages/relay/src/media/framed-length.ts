/** More may lie between frames where a file was cut or joined; what is mostly no frames is of another kind. */
const SHARE_MIN = 0.5;
/** A picture in a tag holds some thousand bytes that look like the beginning of a frame. */
const SEEKS_MAX = 20_000;
/** Three hours. Each frame costs as much as a large one, and a file of empty ones has millions. */
const FRAMES_MAX = 500_000;

export interface Frame {
  /** Length of the frame including its header, in bytes; greater than 0. */
  bytes: number;
  seconds: number;
}

/**
 * Frame by frame, since the bit rate may change with each of them. Each begins with the byte 255.
 * @param frameAt the frame whose header begins there; at least `headerBytes` follow
 */
export function framedSeconds(
  file: Buffer,
  headerBytes: number,
  frameAt: (file: Buffer, at: number) => Frame | undefined,
): number | undefined {
  let seconds = 0;
  let framed = 0;
  let seeks = 0;
  let frames = 0;
  let at = afterTag(file);
  const start = at;
  while (at + headerBytes <= file.length) {
    const frame = frameAt(file, at);
    if (frame === undefined) {
      const next = file.indexOf(0xff, at + 1);
      seeks++;
      if (next === -1 || seeks > SEEKS_MAX) break;
      at = next;
      continue;
    }
    frames++;
    if (frames > FRAMES_MAX) return undefined;
    seconds += frame.seconds;
    framed += frame.bytes;
    at += frame.bytes;
  }
  return framed > 0 && framed >= (file.length - start) * SHARE_MIN ? seconds : undefined;
}

/** Returns the position after an ID3v2 tag, whose size has seven bits in each byte. */
function afterTag(file: Buffer): number {
  if (file.toString('latin1', 0, 3) !== 'ID3' || file.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((file[at] ?? 0) & 127), 0);
  return 10 + size;
}
