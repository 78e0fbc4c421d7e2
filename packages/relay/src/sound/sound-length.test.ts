import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { soundLength } from './sound-length.ts';

const uint = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};
const little = (value: number, bytes: number): Buffer => Buffer.from(uint(value, bytes).toReversed());
const join = (...pieces: (string | Buffer)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)));

function wav(bytes: number, { saysBytes = bytes, rate = 16_000, channels = 1, bits = 16 } = {}): Buffer {
  const perSecond = (rate * channels * bits) / 8;
  const format = join(little(1, 2), little(channels, 2), little(rate, 4), little(perSecond, 4), little(2, 2));
  return join(
    join('RIFF', little(0, 4), 'WAVE', 'LIST', little(3, 4), 'abc\0', 'fmt ', little(16, 4), format),
    join(little(bits, 2), 'data', little(saysBytes, 4), Buffer.alloc(bytes)),
  );
}

/** Of 128 kbit/s and 44.1 kHz: 417 bytes, 26 ms. */
const mp3Frame = join(Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413));
const mp3 = (frames: number): Buffer => Buffer.concat(Array.from({ length: frames }, () => mp3Frame));

const oggPage = (position: number, content: string): Buffer =>
  join('OggS', Buffer.alloc(2), little(position, 4), Buffer.alloc(18), content);
const box = (name: string, content: Buffer): Buffer => join(uint(content.length + 8, 4), name, content);
const mp4 = (length: number, scale: number): Buffer => {
  const head = join(Buffer.alloc(12), uint(scale, 4), uint(length, 4), Buffer.alloc(80));
  return join(
    box('ftyp', Buffer.from('M4A ')),
    box('mdat', Buffer.alloc(900)),
    box('moov', box('mvhd', head)),
  );
};
const flac = (samples: number): Buffer =>
  join(
    'fLaC',
    uint(34, 4),
    Buffer.alloc(10),
    uint(16_000 * 4096 + (15 << 4), 4),
    uint(samples, 4),
    Buffer.alloc(30),
  );

describe('the length of a recording', () => {
  it.each<[string, Buffer, number]>([
    ['WAV', wav(5 * 32_000), 5],
    ['WAV, begun seconds counting', wav(5 * 32_000 + 3_200), 6],
    ['WAV whose end the recorder did not know', wav(3 * 32_000, { saysBytes: 0xffffffff }), 3],
    ['WAV that says it is empty', wav(3 * 32_000, { saysBytes: 0 }), 3],
    ['WAV in stereo with 48 kHz', wav(2 * 192_000, { rate: 48_000, channels: 2 }), 2],
    ['MP3', mp3(383), 10],
    ['MP3 behind a tag', join('ID3', Buffer.from([4, 0, 0, 0, 0, 1, 0]), Buffer.alloc(128), mp3(383)), 10],
    ['MP3 with something odd in the middle', join(mp3(200), 'odd bytes', mp3(183)), 10],
    ['Opus', join(oggPage(0, 'OpusHead'), Buffer.alloc(500), oggPage(48_000 * 9, '')), 9],
    [
      'Vorbis',
      join(
        oggPage(0, '\u0001vorbis'),
        Buffer.alloc(4),
        Buffer.from([1]),
        little(44_100, 4),
        Buffer.alloc(50),
        oggPage(44_100 * 9, ''),
      ),
      9,
    ],
    ['MP4', mp4(120_000, 10_000), 12],
    ['FLAC', flac(16_000 * 7), 7],
    ['a moment, which is a second', wav(10), 1],
  ])('is measured in %s', (_, file, seconds) => {
    expect(soundLength(file)).toEqual({ seconds, isMeasured: true });
  });

  it.each<[string, Buffer, number]>([
    ['nothing', Buffer.alloc(0), 1],
    ['anything', Buffer.alloc(80_000), 10],
    ['MP4 from a recorder that did not know it', mp4(0, 1_000), 1],
    [
      'WAV without a format',
      join('RIFF', little(0, 4), 'WAVE', 'data', little(16_000, 4), Buffer.alloc(16_000)),
      2,
    ],
  ])('is estimated by the size of %s', (_, file, seconds) => {
    expect(soundLength(file)).toEqual({ seconds, isMeasured: false });
  });

  it('is never less than what the file can hold, whatever it says', () => {
    const says = (position: number) =>
      soundLength(join(oggPage(0, 'OpusHead'), Buffer.alloc(640_000), oggPage(position, ''))).seconds;
    expect(says(1)).toBeGreaterThanOrEqual(10);
    expect(soundLength(join(mp4(1, 1_000), Buffer.alloc(25_000_000))).seconds).toBeGreaterThanOrEqual(10);
  });

  it('of any bytes is a number of seconds', () => {
    const head = fc.constantFrom(
      '',
      'RIFF\0\0\0\0WAVEfmt ',
      'fLaC',
      'OggSOpusHead',
      '\0\0\0\u0008ftyp',
      '\u00ff\u00fb',
    );
    const size = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(head, size, (text, rest) => {
        const { seconds } = soundLength(join(text, Buffer.from(rest)));
        expect(Number.isSafeInteger(seconds) && seconds >= 1).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('of 32 MB is known within a moment', () => {
    const started = performance.now();
    soundLength(mp3(80_000));
    soundLength(Buffer.alloc(32 * 1024 * 1024, 0xff));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
