import type { StepBudget } from './duration-and-step-budget.ts';
import { type Frame, type FrameSum, sumFrames } from './frame-sum.ts';

const HEADER_BYTES = 7;
/** Sample rates in hertz by their index, in a frame header and in a configuration. */
const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
] as const;
const SAMPLES_PER_BLOCK = 1_024;
/** Block length of digital radio. */
const SAMPLES_PER_SHORT_BLOCK = 960;
const LC = 2;
/** LC, HE and HE v2. */
const profiles = new Set([LC, 5, 29]);
/** Maximum bytes of a channel in a block: 6,144 bits. */
const BLOCK_BYTES_MAX = 768;
/** Index of a rate that follows in 24 bits. */
const EXPLICIT_RATE = 15;

/** Adds up the frames of a raw ADTS stream (ISO/IEC 13818-7). */
export function sumAacFrames(file: Buffer, steps: StepBudget): FrameSum {
  return sumFrames(file, steps, HEADER_BYTES, readFrame);
}

function readFrame(file: Buffer, at: number): Frame | undefined {
  const header = file.readUInt32BE(at);
  const rate = SAMPLE_RATES[(header >>> 10) & 15];
  const isSync = header >>> 20 === 0xfff && ((header >>> 17) & 3) === 0;
  const bytes = ((header & 3) << 11) | (file.readUInt16BE(at + 4) >>> 5);
  if (!isSync || rate === undefined || bytes < HEADER_BYTES) return undefined;
  const blocks = ((file[at + 6] ?? 0) & 3) + 1;
  return { bytes, seconds: (blocks * SAMPLES_PER_BLOCK) / rate };
}

/** Decoder configuration of a container's samples. */
export interface AacConfig {
  sampleRate: number;
  channels: number;
  samplesPerBlock: number;
}

/** Reads an AudioSpecificConfig (ISO/IEC 14496-3); undefined for profiles other than LC, HE and HE v2. */
export function readAacConfig(config: Buffer): AacConfig | undefined {
  if (config.length < 2) return undefined;
  const bits = config.readUInt16BE(0);
  const profile = bits >>> 11;
  const index = (bits >>> 7) & 15;
  const isExplicit = index === EXPLICIT_RATE && config.length >= 5;
  const sampleRate = isExplicit ? (config.readUIntBE(1, 4) >>> 7) & 0xffffff : SAMPLE_RATES[index];
  const channels = isExplicit ? ((config[4] ?? 0) >>> 3) & 15 : (bits >>> 3) & 15;
  if (!profiles.has(profile) || sampleRate === undefined || sampleRate === 0) return undefined;
  const isShort = profile === LC && !isExplicit && ((bits >>> 2) & 1) === 1;
  return {
    sampleRate,
    channels: channels === 0 ? 2 : channels,
    samplesPerBlock: isShort ? SAMPLES_PER_SHORT_BLOCK : SAMPLES_PER_BLOCK,
  };
}

/**
 * Returns the seconds of a container's samples. A sample has one block; decoders play several in one sample, so that
 * their bytes count as well.
 */
export function aacSeconds(config: AacConfig, samples: number, bytes: number): number {
  const blocks = Math.max(samples, bytes / (BLOCK_BYTES_MAX * config.channels));
  return (blocks * config.samplesPerBlock) / config.sampleRate;
}
