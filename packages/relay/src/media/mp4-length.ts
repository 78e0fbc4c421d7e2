import { aacSeconds } from './aac-length.ts';
import {
  type AudioDuration,
  BYTES_PER_SECOND_MIN,
  type PacketLength,
  type StepBudget,
  validateStatedLength,
} from './duration-and-step-budget.ts';
import {
  type AudioTrack,
  HEADER_BYTES,
  LONG_HEADER_BYTES,
  Mp4Boxes,
  readAudioTracks,
  readTimes,
  readUint32,
} from './mp4-track.ts';

/** Maximum bytes per second, 20 Mbit/s, since videos may be uploaded as well. */
const BYTES_PER_SECOND_MAX = 2_500_000;
/** Bytes per second of speech without an audio track that is read. */
const BYTES_PER_SECOND = 8_000;

/**
 * Returns the length of MP4, M4A and QuickTime (ISO/IEC 14496-12): the length in the movie's header, and the duration
 * of the samples of its longest audio track, in the movie's tables or fragments. Decoders find the movie behind any
 * other boxes.
 */
export function measureMp4(file: Buffer, steps: StepBudget): AudioDuration | undefined {
  const boxes = new Mp4Boxes(steps);
  const movie = boxes.find(file, 'moov');
  if (movie === undefined) return undefined;
  const { timescale, duration } = readTimes(boxes.find(movie, 'mvhd'));
  const claimed = validateStatedLength(duration / timescale);
  const tracks = readAudioTracks(boxes, movie, file);
  const fragments = secondsOfFragments(boxes, file, movie, tracks);
  const heard = tracks.reduce((longest, { id, seconds }) => Math.max(longest, seconds + (fragments.get(id) ?? 0)), 0);
  // Recorders that don't know the end leave the length at zero.
  if (heard === 0 && claimed === undefined) return undefined;
  const isRead = tracks.length > 0 && tracks.every((track) => track.isRead);
  const rate = steps.isExhausted ? BYTES_PER_SECOND_MIN : isRead ? BYTES_PER_SECOND_MAX : BYTES_PER_SECOND;
  return { playedSeconds: Math.max(heard, file.length / rate), statedSeconds: claimed };
}

/** Returns the seconds of the fragments by track id. */
function secondsOfFragments(
  boxes: Mp4Boxes,
  file: Buffer,
  movie: Buffer,
  tracks: readonly AudioTrack[],
): Map<number, number> {
  const seconds = new Map<number, number>();
  const defaults = readDefaults(boxes, movie);
  // Only a fragmented movie has defaults.
  if (defaults.size === 0) return seconds;
  // A file may have a hundred thousand tracks and as many fragments.
  const trackById = new Map(tracks.toReversed().map((track) => [track.id, track]));
  for (const movieFragment of boxes.all(file, 'moof')) {
    const content = movieFragment.byteOffset - file.byteOffset;
    const isShort = file.toString('latin1', content - 4, content) === 'moof';
    const start = content - (isShort ? HEADER_BYTES : LONG_HEADER_BYTES);
    let end = start;
    for (const fragment of boxes.all(movieFragment, 'traf')) {
      const header = readHeader(boxes.find(fragment, 'tfhd'), defaults, start, end);
      const track = trackById.get(header.id);
      const sum = sumRuns(boxes, fragment, file, header, track?.packetSeconds);
      if (sum.samples > 0) end = sum.end;
      if (track !== undefined) seconds.set(track.id, (seconds.get(track.id) ?? 0) + secondsOfRuns(sum, track));
    }
  }
  return seconds;
}

/** Duration and bytes of a sample. */
interface Sample {
  duration: number;
  size: number;
}

/** Returns the defaults by track, for fragments without their own. */
function readDefaults(boxes: Mp4Boxes, movie: Buffer): Map<number, Sample> {
  const samples = new Map<number, Sample>();
  const fragmented = boxes.find(movie, 'mvex');
  if (fragmented === undefined) return samples;
  for (const defaults of boxes.all(fragmented, 'trex'))
    samples.set(readUint32(defaults, 4), { duration: readUint32(defaults, 12), size: readUint32(defaults, 16) });
  return samples;
}

/** Flags of the optional fields in a fragment's header and runs. */
const HAS_BASE = 0x01;
const HAS_DESCRIPTION = 0x02;
const HAS_DEFAULT_DURATION = 0x08;
const HAS_DEFAULT_SIZE = 0x10;
const IS_BASED_ON_START = 0x20000;
const HAS_DATA_OFFSET = 0x01;
const HAS_FIRST_FLAGS = 0x04;
const HAS_DURATIONS = 0x100;
const HAS_SIZES = 0x200;
/** Flags of a sample's optional fields: duration, size, flags, offset. */
const sampleFlags = [HAS_DURATIONS, HAS_SIZES, 0x400, 0x800];

interface FragmentHeader extends Sample {
  id: number;
  /** Position to which the positions of samples are relative. */
  base: number;
}

/** @param start position of the fragment. @param end position after the samples of the preceding track */
function readHeader(
  header: Buffer | undefined,
  defaults: ReadonlyMap<number, Sample>,
  start: number,
  end: number,
): FragmentHeader {
  const flags = header === undefined ? 0 : readUint32(header, 0);
  const id = header === undefined ? 0 : readUint32(header, 4);
  const base = flags & IS_BASED_ON_START ? start : end;
  const read: FragmentHeader = { id, base, ...(defaults.get(id) ?? { duration: 0, size: 0 }) };
  if (header === undefined) return read;
  let at = 8;
  if (flags & HAS_BASE) read.base = readUint32(header, at) * 2 ** 32 + readUint32(header, at + 4);
  at += (flags & HAS_BASE ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0);
  if (flags & HAS_DEFAULT_DURATION) read.duration = readUint32(header, at);
  at += flags & HAS_DEFAULT_DURATION ? 4 : 0;
  if (flags & HAS_DEFAULT_SIZE) read.size = readUint32(header, at);
  return read;
}

function secondsOfRuns(sum: RunSum, { timescale, config }: AudioTrack): number {
  const played = config === undefined ? sum.seconds : aacSeconds(config, sum.samples, sum.bytes);
  return Math.max(validateStatedLength(sum.units / timescale) ?? 0, played);
}

/** Totals of the samples of a fragment's runs. */
interface RunSum {
  units: number;
  samples: number;
  bytes: number;
  /** Seconds of the packets. */
  seconds: number;
  /** Position after the last sample. */
  end: number;
}

/** @param packetSeconds absent if packets don't show their length */
function sumRuns(
  boxes: Mp4Boxes,
  fragment: Buffer,
  file: Buffer,
  header: FragmentHeader,
  packetSeconds: PacketLength | undefined,
): RunSum {
  const sum: RunSum = { units: 0, samples: 0, bytes: 0, seconds: 0, end: header.base };
  const readPacket =
    packetSeconds && ((at: number) => (boxes.steps.take(1) ? packetSeconds(file, at, file.length) : undefined));
  for (const run of boxes.all(fragment, 'trun')) addRun(sum, run, header, readPacket);
  return sum;
}

/**
 * Adds the samples of a run. A count of samples without fields is limited to the bytes of the run.
 * @param readPacket returns the seconds of a packet, until there are too many; absent if packets don't show them
 */
function addRun(
  sum: RunSum,
  run: Buffer,
  { base, duration, size }: FragmentHeader,
  readPacket: ((at: number) => number | undefined) | undefined,
): void {
  const flags = readUint32(run, 0);
  const stated = readUint32(run, 4);
  const fieldBytes = sampleFlags.filter((flag) => (flags & flag) !== 0).length * 4;
  const from = 8 + (flags & HAS_DATA_OFFSET ? 4 : 0) + (flags & HAS_FIRST_FLAGS ? 4 : 0);
  const samples =
    fieldBytes === 0 ? stated : Math.max(0, Math.min(stated, Math.floor((run.length - from) / fieldBytes)));
  const hasDurations = (flags & HAS_DURATIONS) !== 0;
  const hasSizes = (flags & HAS_SIZES) !== 0;
  const sizeAt = hasDurations ? 4 : 0;
  sum.samples += samples;
  if (!hasDurations) sum.units += samples * duration;
  // The distance may be negative.
  if (flags & HAS_DATA_OFFSET) sum.end = base + (readUint32(run, 8) | 0);
  for (let nth = 0, at = from; nth < samples; nth++, at += fieldBytes) {
    const seconds = readPacket?.(sum.end);
    if (seconds === undefined && !hasDurations && !hasSizes) {
      sum.end += (samples - nth) * size;
      return;
    }
    const bytes = hasSizes ? run.readUInt32BE(at + sizeAt) : size;
    if (hasDurations) sum.units += run.readUInt32BE(at);
    if (hasSizes) sum.bytes += bytes;
    sum.seconds += seconds ?? 0;
    sum.end += bytes;
  }
}
