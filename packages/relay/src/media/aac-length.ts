import { type Frame, framedSeconds } from './framed-length.ts';

const HEADER_BYTES = 7;
/** Sample rates in hertz by their index in a frame's header. */
const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
] as const;
const SAMPLES_PER_BLOCK = 1_024;

/** Returns the seconds of a raw stream from its frames: ADTS (ISO/IEC 13818-7). */
export function aacSeconds(file: Buffer): number | undefined {
  return framedSeconds(file, HEADER_BYTES, frameAt);
}

function frameAt(file: Buffer, at: number): Frame | undefined {
  const header = file.readUInt32BE(at);
  const rate = SAMPLE_RATES[(header >>> 10) & 15];
  const isSync = header >>> 20 === 0xfff && ((header >>> 17) & 3) === 0;
  const bytes = ((header & 3) << 11) | (file.readUInt16BE(at + 4) >>> 5);
  if (!isSync || rate === undefined || bytes < HEADER_BYTES) return undefined;
  const blocks = ((file[at + 6] ?? 0) & 3) + 1;
  return { bytes, seconds: (blocks * SAMPLES_PER_BLOCK) / rate };
}
