/** Kilobits per second by the index in a frame's header, for MPEG 1 and for MPEG 2 and 2.5, layer III. */
const BIT_RATES = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
} as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;
/** More may lie between frames where a file was cut or joined; what is mostly no frames is no MP3. */
const SHARE_MIN = 0.5;
/** A picture in a tag holds some thousand bytes that look like the beginning of a frame. */
const SEEKS_MAX = 20_000;

interface Frame {
  bytes: number;
  seconds: number;
}

/** Frame by frame, since the bit rate may change with each of them. */
export function mp3Seconds(file: Buffer): number | undefined {
  let seconds = 0;
  let framed = 0;
  let seeks = 0;
  let at = afterTag(file);
  const start = at;
  while (at + 4 <= file.length) {
    const frame = frameAt(file, at);
    if (frame === undefined) {
      const next = file.indexOf(0xff, at + 1);
      seeks++;
      if (next === -1 || seeks > SEEKS_MAX) break;
      at = next;
      continue;
    }
    seconds += frame.seconds;
    framed += frame.bytes;
    at += frame.bytes;
  }
  return framed > 0 && framed >= (file.length - start) * SHARE_MIN ? seconds : undefined;
}

/** Behind an ID3v2 tag, whose size has seven bits in each byte. */
function afterTag(file: Buffer): number {
  if (file.toString('latin1', 0, 3) !== 'ID3' || file.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((file[at] ?? 0) & 127), 0);
  return 10 + size;
}

function frameAt(file: Buffer, at: number): Frame | undefined {
  const header = file.readUInt32BE(at);
  const version = (header >>> 19) & 3;
  const isLayer3 = ((header >>> 17) & 3) === 1;
  const rate = SAMPLE_RATES[(header >>> 10) & 3];
  if (header >>> 21 !== 0x7ff || version === 1 || !isLayer3 || rate === undefined) return undefined;
  const isFirst = version === 3;
  const kilobits = BIT_RATES[isFirst ? 1 : 2][(header >>> 12) & 15] ?? 0;
  if (kilobits === 0) return undefined;
  const sampleRate = version === 3 ? rate : rate / (version === 2 ? 2 : 4);
  const samples = isFirst ? 1_152 : 576;
  const padding = (header >>> 9) & 1;
  const bytes = Math.floor((samples / 8) * ((kilobits * 1_000) / sampleRate)) + padding;
  return { bytes, seconds: samples / sampleRate };
}
