import { type AacConfig, aacSeconds, readAacConfig } from './aac-length.ts';
import { flacFrameSeconds, flacSampleRate } from './flac-length.ts';
import { mp3FrameSeconds } from './mp3-length.ts';
import { opusSeconds } from './opus-packet.ts';
import { readVorbisHeaders } from './ogg-packets.ts';

/** Seconds of a frame of sound, or of each of several in a block. */
type FrameLength = (frame: Buffer) => number;

const XIPH_HEADERS = 2;

/**
 * Returns how long the frames of a track are; undefined for codecs of which the blocks alone do not say it.
 * https://www.matroska.org/technical/codec_specs.html
 * @param setup the track's private data
 */
export function createFrameLength(codec: string, setup: Buffer): FrameLength | undefined {
  if (codec === 'A_OPUS') return opusSeconds;
  if (codec === 'A_MPEG/L3') return mp3FrameSeconds;
  if (codec === 'A_FLAC') return (frame) => flacFrameSeconds(frame, flacSampleRate(setup));
  if (codec === 'A_VORBIS') return createVorbisFrameLength(setup);
  const config = codec.startsWith('A_AAC') ? readAacConfig(setup) : undefined;
  return config && createAacFrameLength(config);
}

function createAacFrameLength(config: AacConfig): FrameLength {
  return (frame) => aacSeconds(config, 1, frame.length);
}

/** Three headers stand behind each other; the sizes of the first two come before them. */
function createVorbisFrameLength(setup: Buffer): FrameLength | undefined {
  const sizes: number[] = [];
  let at = 1;
  while (sizes.length < XIPH_HEADERS && at < setup.length) {
    let size = 0;
    for (; setup[at] === 0xff; at++) size += 0xff;
    sizes.push(size + (setup[at] ?? 0));
    at++;
  }
  const [first = 0, second = 0] = sizes;
  const packets = readVorbisHeaders(setup.subarray(at, at + first), setup.subarray(at + first + second));
  return packets && ((frame) => packets.secondsOf(frame[0] ?? 1));
}
