const PAGE = 'OggS';
/** Opus counts in these whatever it was recorded with (RFC 7845). */
const OPUS_RATE = 48_000;
/** No speech takes more; a last page may say anything. Bytes. */
const MOST_PER_SECOND = 64_000;

/** Returns the seconds from the position on the last page. */
export function oggSeconds(file: Buffer): number | undefined {
  if (file.toString('latin1', 0, 4) !== PAGE || file.length < 64) return undefined;
  const last = file.lastIndexOf(PAGE);
  const rate = rateOf(file);
  if (rate === undefined || last + 14 > file.length) return undefined;
  const position = file.readUInt32LE(last + 6) + file.readUInt32LE(last + 10) * 2 ** 32;
  return Math.max(position / rate, file.length / MOST_PER_SECOND);
}

function rateOf(file: Buffer): number | undefined {
  const head = file.subarray(0, 128);
  if (head.includes('OpusHead')) return OPUS_RATE;
  const vorbis = head.indexOf('\u0001vorbis');
  if (vorbis === -1 || vorbis + 16 > head.length) return undefined;
  return head.readUInt32LE(vorbis + 12) || undefined;
}
