import { aacSeconds } from './aac-length.ts';
import { type AudioTrack, Mp4Boxes, readAudioTracks, readTimes, readUint32 } from './mp4-track.ts';
import { type AudioDuration, validateStatedLength } from './recording-usage.ts';

/** Maximum bytes per second, 20 Mbit/s, since videos may be uploaded as well. */
const BYTES_PER_SECOND_MAX = 2_500_000;
/** Bytes per second of speech without an audio track, or with too many boxes to measure. */
const BYTES_PER_SECOND = 8_000;

/**
 * Returns the length of MP4, M4A and QuickTime (ISO/IEC 14496-12): the length in the movie's header, and the duration
 * of the samples of its longest audio track, in the movie's tables or fragments.
 */
export function measureMp4(file: Buffer): AudioDuration | undefined {
  if (file.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const boxes = new Mp4Boxes();
  const movie = boxes.find(file, 'moov');
  if (movie === undefined) return undefined;
  const { timescale, duration } = readTimes(boxes.find(movie, 'mvhd'));
  const claimed = validateStatedLength(duration / timescale);
  const tracks = readAudioTracks(boxes, movie, file.length);
  const fragments = secondsOfFragments(boxes, file, movie, tracks);
  const heard = tracks.reduce((longest, { id, seconds }) => Math.max(longest, seconds + (fragments.get(id) ?? 0)), 0);
  // Recorders that don't know the end leave the length at zero.
  if (heard === 0 && claimed === undefined) return undefined;
  const isRead = tracks.length > 0 && !boxes.isExhausted;
  const rate = isRead ? BYTES_PER_SECOND_MAX : BYTES_PER_SECOND;
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
  const defaults = defaultDurations(boxes, movie);
  // Only a fragmented movie has defaults.
  if (defaults.size === 0) return seconds;
  // A file may have a hundred thousand tracks and as many fragments.
  const trackById = new Map(tracks.toReversed().map((track) => [track.id, track]));
  for (const movieFragment of boxes.all(file, 'moof')) {
    for (const fragment of boxes.all(movieFragment, 'traf')) {
      const header = readHeader(boxes.find(fragment, 'tfhd'), defaults);
      const track = trackById.get(header.id);
      if (track === undefined) continue;
      const more = secondsOfRuns(boxes, fragment, header.duration, track);
      seconds.set(track.id, (seconds.get(track.id) ?? 0) + more);
    }
  }
  return seconds;
}

/** Returns the durations of samples by track, for fragments without durations. */
function defaultDurations(boxes: Mp4Boxes, movie: Buffer): Map<number, number> {
  const durations = new Map<number, number>();
  const fragmented = boxes.find(movie, 'mvex');
  if (fragmented === undefined) return durations;
  for (const defaults of boxes.all(fragmented, 'trex'))
    durations.set(readUint32(defaults, 4), readUint32(defaults, 12));
  return durations;
}

/** Flags of the optional fields in a fragment's header and runs. */
const HAS_BASE = 0x01;
const HAS_DESCRIPTION = 0x02;
const HAS_DEFAULT_DURATION = 0x08;
const HAS_DATA_OFFSET = 0x01;
const HAS_FIRST_FLAGS = 0x04;
const HAS_DURATIONS = 0x100;
const HAS_SIZES = 0x200;
/** Flags of a sample's optional fields: duration, size, flags, offset. */
const sampleFlags = [HAS_DURATIONS, HAS_SIZES, 0x400, 0x800];

function readHeader(
  header: Buffer | undefined,
  defaults: ReadonlyMap<number, number>,
): { id: number; duration: number } {
  if (header === undefined) return { id: 0, duration: 0 };
  const flags = readUint32(header, 0);
  const id = readUint32(header, 4);
  const at = 8 + (flags & HAS_BASE ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0);
  return { id, duration: flags & HAS_DEFAULT_DURATION ? readUint32(header, at) : (defaults.get(id) ?? 0) };
}

function secondsOfRuns(boxes: Mp4Boxes, fragment: Buffer, duration: number, { timescale, config }: AudioTrack): number {
  let units = 0;
  let samples = 0;
  let bytes = 0;
  for (const content of boxes.all(fragment, 'trun')) {
    const run = readRun(content, duration);
    units += run.units;
    samples += run.samples;
    bytes += run.bytes;
  }
  const played = config === undefined ? 0 : aacSeconds(config, samples, bytes);
  return Math.max(validateStatedLength(units / timescale) ?? 0, played);
}

/** Adds up the samples of a run. A count of samples without fields is limited to the bytes of the run. */
function readRun(run: Buffer, duration: number): { units: number; samples: number; bytes: number } {
  const flags = readUint32(run, 0);
  const stated = readUint32(run, 4);
  const fieldBytes = sampleFlags.filter((flag) => (flags & flag) !== 0).length * 4;
  const from = 8 + (flags & HAS_DATA_OFFSET ? 4 : 0) + (flags & HAS_FIRST_FLAGS ? 4 : 0);
  const samples =
    fieldBytes === 0 ? stated : Math.max(0, Math.min(stated, Math.floor((run.length - from) / fieldBytes)));
  if ((flags & (HAS_DURATIONS | HAS_SIZES)) === 0) return { units: samples * duration, samples, bytes: 0 };
  const hasDurations = (flags & HAS_DURATIONS) !== 0;
  const sizeAt = hasDurations ? 4 : 0;
  let units = 0;
  let bytes = 0;
  for (let nth = 0, at = from; nth < samples; nth++, at += fieldBytes) {
    units += hasDurations ? run.readUInt32BE(at) : duration;
    if ((flags & HAS_SIZES) !== 0) bytes += run.readUInt32BE(at + sizeAt);
  }
  return { units, samples, bytes };
}
