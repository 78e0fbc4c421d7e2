import { type Frame, framedSeconds } from './framed-length.ts';

/** Kilobits per second by the index in a frame's header, for MPEG 1 and for MPEG 2 and 2.5, layer III. */
const BIT_RATES = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
} as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;
const HEADER_BYTES = 4;

export function mp3Seconds(file: Buffer): number | undefined {
  return framedSeconds(file, HEADER_BYTES, frameAt);
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
