const BOX_HEADER_BYTES = 8;
/** A film that was cut into pieces has two for each. */
const BOXES_MAX = 50_000;
/** Films may be uploaded, too; none has more than 20 Mbit/s. Bytes. */
const MOST_PER_SECOND = 2_500_000;

/** Returns the seconds from the movie header, `moov/mvhd`, for MP4, M4A and QuickTime (ISO/IEC 14496-12). */
export function mp4Seconds(file: Buffer): number | undefined {
  if (file.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const movie = findBox(file, 'moov');
  const head = movie && findBox(movie, 'mvhd');
  if (head === undefined || head.length < 32) return undefined;
  const isLong = head[0] === 1;
  const scale = head.readUInt32BE(isLong ? 20 : 12);
  const length = isLong ? Number(head.readBigUInt64BE(24)) : head.readUInt32BE(16);
  // Recorders that do not know the end leave it at none.
  if (scale === 0 || length === 0) return undefined;
  return Math.max(length / scale, file.length / MOST_PER_SECOND);
}

function findBox(within: Buffer, name: string): Buffer | undefined {
  let at = 0;
  for (let boxes = 0; boxes < BOXES_MAX && at + BOX_HEADER_BYTES <= within.length; boxes++) {
    const short = within.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= within.length;
    const size = isLong ? Number(within.readBigUInt64BE(at + 8)) : short;
    const header = isLong ? 16 : BOX_HEADER_BYTES;
    // 0: to the end of the file.
    const end = size === 0 ? within.length : Math.min(at + size, within.length);
    if (end < at + header) return undefined;
    if (within.toString('latin1', at + 4, at + 8) === name) return within.subarray(at + header, end);
    at = end;
  }
  return undefined;
}
