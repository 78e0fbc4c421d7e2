import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { soundLength } from './audio-length.ts';

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

/** An element of WebM; without a size where the recorder did not know it. */
const element = (id: string, content: Buffer, isOpen = false): Buffer => {
  const size = isOpen ? uint(0xff, 1) : uint(0x10_000_000 + content.length, 4);
  return join(Buffer.from(id, 'hex'), size, content);
};
const float = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  return buffer;
};
const webm = (info: Buffer, ...clusters: Buffer[]): Buffer =>
  join(
    element('1a45dfa3', element('4282', Buffer.from('webm'))),
    element('18538067', join(element('1549a966', info), ...clusters), true),
  );
const webmBlock = (id: string, time: number): Buffer =>
  element(id, join(Buffer.from([0x81]), uint(time, 2), Buffer.from([0x80]), Buffer.alloc(200)));
const cluster = (time: number, ...blocks: Buffer[]): Buffer =>
  element('1f43b675', join(element('e7', uint(time, 4)), ...blocks), true);
const livestream = (scale: Buffer): Buffer =>
  webm(
    scale,
    cluster(0, webmBlock('a3', 0), webmBlock('a3', 500)),
    cluster(10_000, webmBlock('a3', 0), element('a0', webmBlock('a1', 950))),
  );

/** Of AAC: 1,024 samples of 16 kHz, 64 ms in 200 bytes. */
const aacFrame = join(
  Buffer.from([0xff, 0xf1, 0x60, 0x40, 200 >> 3, (200 & 7) << 5, 0xfc]),
  Buffer.alloc(193),
);
const aac = (frames: number): Buffer => Buffer.concat(Array.from({ length: frames }, () => aacFrame));

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
    ['WebM', webm(element('4489', float(8_400))), 9],
    [
      'WebM in tenths of milliseconds',
      webm(join(element('2ad7b1', uint(100_000, 3)), element('4489', float(84_000)))),
      9,
    ],
    ['WebM as a browser records it', livestream(Buffer.alloc(0)), 11],
    ['WebM that says less than it has', livestream(element('4489', float(10))), 11],
    ['AAC', aac(500), 32],
    ['AAC behind a tag', join('ID3', Buffer.from([4, 0, 0, 0, 0, 1, 0]), Buffer.alloc(128), aac(500)), 32],
    ['a moment, which is a second', wav(10), 1],
  ])('is measured in %s', (_, file, seconds) => {
    expect(soundLength(file)).toEqual({ seconds, isMeasured: true });
  });

  it.each<[string, Buffer, number]>([
    ['nothing', Buffer.alloc(0), 1],
    ['anything', Buffer.alloc(80_000), 10],
    ['MP4 from a recorder that did not know it', mp4(0, 1_000), 1],
    ['WebM without anything in it', webm(Buffer.alloc(16_000)), 2],
    ['WebM of no length', webm(element('4489', float(Number.NaN))), 1],
    [
      'WAV without a format',
      join('RIFF', little(0, 4), 'WAVE', 'data', little(16_000, 4), Buffer.alloc(16_000)),
      2,
    ],
  ])('is estimated by the size of %s', (_, file, seconds) => {
    expect(soundLength(file)).toEqual({ seconds, isMeasured: false });
  });

  it('never returns less than the file can hold, whatever its header claims', () => {
    const says = (position: number) =>
      soundLength(join(oggPage(0, 'OpusHead'), Buffer.alloc(640_000), oggPage(position, ''))).seconds;
    expect(says(1)).toBeGreaterThanOrEqual(10);
    expect(soundLength(join(mp4(1, 1_000), Buffer.alloc(25_000_000))).seconds).toBeGreaterThanOrEqual(10);
  });

  it('extrapolates a recording that has more blocks than are read', () => {
    const second = (nth: number): Buffer =>
      cluster(nth * 1_000, ...Array.from({ length: 50 }, (_, block) => webmBlock('a3', block * 20)));
    const file = webm(Buffer.alloc(0), ...Array.from({ length: 1_200 }, (_, nth) => second(nth)));
    const { seconds, isMeasured } = soundLength(file);
    expect(isMeasured).toBe(true);
    expect(Math.abs(seconds - 1_200)).toBeLessThanOrEqual(2);
  });

  it('returns a number of seconds for any bytes', () => {
    const head = fc.constantFrom(
      '',
      'RIFF\0\0\0\0WAVEfmt ',
      'fLaC',
      'OggSOpusHead',
      '\0\0\0\u0008ftyp',
      '\u00ff\u00fb',
      '\u00ff\u00f1\u0060',
      '\u001a\u0045\u00df\u00a3\u0080\u0018\u0053\u0080\u0067\u00ff\u001f\u0043\u00b6\u0075\u00ff',
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

  it.each([
    ['MP3', mp3(80_000)],
    ['AAC', aac(160_000)],
    ['WebM without an end', webm(Buffer.alloc(32 * 1024 * 1024, Buffer.from([0xec, 0x80])))],
    [
      'empty frames of AAC',
      Buffer.alloc(32 * 1024 * 1024, Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x00, 0xe0, 0x00])),
    ],
    ['anything', Buffer.alloc(32 * 1024 * 1024, 0xff)],
  ])('of 32 MB of %s is known within a moment', (_, file) => {
    const before = process.threadCpuUsage();
    soundLength(file);
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(200);
  });
});
