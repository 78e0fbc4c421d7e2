/** Generated recordings of every measured kind for tests, with correct or wrong headers. */

export function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

export function uintLittleEndian(value: number, bytes: number): Buffer {
  return Buffer.from(uint(value, bytes).toReversed());
}

export function join(...pieces: (string | Buffer)[]): Buffer {
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)));
}

function repeat(count: number, piece: (nth: number) => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, nth) => piece(nth)));
}

/** Returns a WAV chunk. */
export function chunk(id: string, content: Buffer, size = content.length): Buffer {
  return join(id, uintLittleEndian(size, 4), content, Buffer.alloc(content.length % 2));
}

export interface WavFormat {
  codec: number;
  channels: number;
  rate: number;
  bytesPerSecond: number;
  blockBytes: number;
  bits: number;
}

export function wav(format: WavFormat, ...chunks: Buffer[]): Buffer {
  const { codec, channels, rate, bytesPerSecond, blockBytes, bits } = format;
  const fields = [
    uintLittleEndian(codec, 2),
    uintLittleEndian(channels, 2),
    uintLittleEndian(rate, 4),
    uintLittleEndian(bytesPerSecond, 4),
  ];
  return join(
    'RIFF',
    uintLittleEndian(0, 4),
    'WAVE',
    chunk('fmt ', join(...fields, uintLittleEndian(blockBytes, 2), uintLittleEndian(bits, 2))),
    ...chunks,
  );
}

/** Returns IMA ADPCM at 8 kHz, with 505 samples in a block of 256 bytes. @param said stated bytes per second */
export function adpcmWav(seconds: number, said = 4_055): Buffer {
  const format = { codec: 0x11, channels: 1, rate: 8_000, bytesPerSecond: said, blockBytes: 256, bits: 4 };
  return wav(format, chunk('data', Buffer.alloc(Math.ceil((seconds * 8_000) / 505) * 256)));
}

/** Returns MP3 with 8 kbit/s and 8 kHz, in frames of 72 bytes and 72 ms. */
export function slowMp3(seconds: number): Buffer {
  const frame = join(Buffer.from([0xff, 0xe3, 0x18, 0xc4]), Buffer.alloc(68));
  return repeat(Math.round(seconds / 0.072), () => frame);
}

const crcOf = (bytes: Buffer): number =>
  bytes.reduce((sum, byte) => {
    let rest = sum ^ byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 0x80 ? ((rest << 1) ^ 0x07) & 0xff : (rest << 1) & 0xff;
    return rest;
  }, 0);

/** Returns FLAC at 16 kHz in frames of 4,096 samples. @param said samples that the first block states */
export function flac(seconds: number, said = Math.round(seconds * 16_000)): Buffer {
  const info = join(uint(34, 4), Buffer.alloc(10), uint(16_000 * 4_096 + (15 << 4), 4), uint(said, 4));
  const frames = Math.round((seconds * 16_000) / 4_096);
  const frame = (nth: number): Buffer => {
    const header = join(Buffer.from([0xff, 0xf8, 0xc5, 0x08]), Buffer.from(numberOf(nth)));
    return join(header, Buffer.from([crcOf(header)]), Buffer.alloc(40, 0x5a));
  };
  return join('fLaC', info, Buffer.alloc(16), repeat(frames, frame));
}

/** Encodes a frame's number like a UTF-8 character. */
function numberOf(nth: number): number[] {
  if (nth < 0x80) return [nth];
  if (nth < 0x800) return [0xc0 | (nth >> 6), 0x80 | (nth & 63)];
  return [0xe0 | (nth >> 12), 0x80 | ((nth >> 6) & 63), 0x80 | (nth & 63)];
}

/** Returns an Ogg page with whole packets of less than 255 bytes each. */
export function oggPage(position: number, packets: readonly Buffer[], serial = 1): Buffer {
  return join(
    'OggS',
    Buffer.alloc(2),
    uintLittleEndian(position, 4),
    Buffer.alloc(4),
    uintLittleEndian(serial, 4),
    Buffer.alloc(8),
    Buffer.from([packets.length, ...packets.map((packet) => packet.length)]),
    ...packets,
  );
}

/** Returns Opus with 50 packets and one page per second. @param said seconds that the last page states */
export function opusOgg(seconds: number, said = seconds, serial = 1): Buffer {
  const head = [oggPage(0, [join('OpusHead', Buffer.alloc(11))], serial), oggPage(0, [join('OpusTags')], serial)];
  const packet = join(Buffer.from([0x98]), Buffer.alloc(14));
  const page = (nth: number): Buffer => {
    const position = nth + 1 === seconds ? said : Math.min(said, nth + 1);
    return oggPage(
      Math.round(position * 48_000),
      Array.from({ length: 50 }, () => packet),
      serial,
    );
  };
  return join(...head, repeat(seconds, page));
}

export function box(name: string, ...content: Buffer[]): Buffer {
  const all = Buffer.concat(content);
  return join(uint(all.length + 8, 4), name, all);
}

/** Header fields of an M4A, which may contradict its samples. */
export interface M4aHeaders {
  /** Milliseconds of the movie. */
  movie: number;
  /** Duration in the media header, in samples of 16 kHz. */
  media: number;
  /** Duration of a container sample, in samples of 16 kHz. */
  delta: number;
}

const AAC_RATE = 16_000;
const AAC_BLOCK = 1_024;
const AAC_BYTES = 64;

const esds = box(
  'esds',
  uint(0, 4),
  Buffer.from([3, 22, 0, 0, 0, 4, 17, 0x40, 0x15]),
  Buffer.alloc(11),
  Buffer.from([5, 2, 0x14, 0x08]),
);
const soundEntry = box(
  'mp4a',
  Buffer.alloc(16),
  uint(1, 2),
  uint(16, 2),
  Buffer.alloc(4),
  uint(AAC_RATE * 65_536, 4),
  esds,
);

function aacTrack(headers: M4aHeaders, samples: number): Buffer {
  return soundTrack(soundEntry, AAC_RATE, AAC_BYTES, headers, samples);
}

/** @param at position of the first sample */
function soundTrack(
  entry: Buffer,
  rate: number,
  sampleBytes: number,
  { media, delta }: Omit<M4aHeaders, 'movie'>,
  samples: number,
  at = 0,
): Buffer {
  const tables = [
    box('stsd', uint(0, 4), uint(1, 4), entry),
    box('stts', uint(0, 4), uint(1, 4), uint(samples, 4), uint(delta, 4)),
    box('stsc', uint(0, 4), uint(1, 4), uint(1, 4), uint(samples, 4), uint(1, 4)),
    box('stsz', uint(0, 4), uint(sampleBytes, 4), uint(samples, 4)),
    box('stco', uint(0, 4), uint(1, 4), uint(at, 4)),
  ];
  return box(
    'trak',
    box('tkhd', Buffer.alloc(12), uint(1, 4), Buffer.alloc(68)),
    box(
      'mdia',
      box('mdhd', Buffer.alloc(12), uint(rate, 4), uint(media, 4), Buffer.alloc(4)),
      box('hdlr', Buffer.alloc(8), join('soun'), Buffer.alloc(13)),
      box('minf', box('stbl', ...tables)),
    ),
  );
}

function movieHeader(milliseconds: number): Buffer {
  return box('mvhd', Buffer.alloc(12), uint(1_000, 4), uint(milliseconds, 4), Buffer.alloc(80));
}

/** Returns AAC at 16 kHz and 8 kbit/s. @param said fields that contradict the samples */
export function m4a(seconds: number, said: Partial<M4aHeaders> = {}): Buffer {
  const samples = Math.round((seconds * AAC_RATE) / AAC_BLOCK);
  const headers = { movie: seconds * 1_000, media: samples * AAC_BLOCK, delta: AAC_BLOCK, ...said };
  return join(
    box('ftyp', join('M4A ')),
    box('moov', movieHeader(Math.round(headers.movie)), aacTrack(headers, samples)),
    box('mdat', Buffer.alloc(samples * AAC_BYTES)),
  );
}

/**
 * Returns M4A in fragments of one second, like browsers' recordings. @param delta duration of a sample that the
 * fragments state
 */
export function fragmentedM4a(seconds: number, delta = AAC_BLOCK): Buffer {
  const samples = Math.round(AAC_RATE / AAC_BLOCK);
  const run = box(
    'trun',
    uint(0x200, 4),
    uint(samples, 4),
    repeat(samples, () => uint(AAC_BYTES, 4)),
  );
  const fragment = join(
    box('moof', box('traf', box('tfhd', uint(0, 4), uint(1, 4)), run)),
    box('mdat', Buffer.alloc(samples * AAC_BYTES)),
  );
  const defaults = box('trex', uint(0, 4), uint(1, 4), uint(1, 4), uint(delta, 4), Buffer.alloc(8));
  return join(
    box('ftyp', join('iso5')),
    box('moov', movieHeader(0), aacTrack({ movie: 0, media: 0, delta: 0 }, 0), box('mvex', defaults)),
    repeat(Math.round((seconds * AAC_RATE) / AAC_BLOCK / samples), () => fragment),
  );
}

const OPUS_RATE = 48_000;
const OPUS_PACKET_UNITS = 2_880;
/** Opus of 6 kbit/s in a packet of 60 ms. */
const slowOpusPacket = join(Buffer.from([0x38]), Buffer.alloc(44, 0x5a));
const opusEntry = box('Opus', Buffer.alloc(16), uint(1, 2), uint(16, 2), Buffer.alloc(4), uint(OPUS_RATE * 65_536, 4));

/** Returns MP4 with slow Opus. @param first name of the first box. @param delta stated duration of a packet */
export function opusMp4(seconds: number, delta = OPUS_PACKET_UNITS, first = 'ftyp'): Buffer {
  const packets = Math.round((seconds * OPUS_RATE) / OPUS_PACKET_UNITS);
  const head = box(first, join('M4A '));
  const media = packets * delta;
  const at = head.length + 8;
  const track = soundTrack(opusEntry, OPUS_RATE, slowOpusPacket.length, { media, delta }, packets, at);
  return join(
    head,
    box('mdat', Buffer.alloc(packets * slowOpusPacket.length, slowOpusPacket)),
    box('moov', movieHeader(Math.round((media / OPUS_RATE) * 1_000)), track),
  );
}

/**
 * Returns such MP4 in fragments of three seconds, whose packets have one size.
 * @param place position of the packets: after their header, before it, or, without a position, after those of a video
 */
export function fragmentedOpusMp4(
  seconds: number,
  delta = OPUS_PACKET_UNITS,
  place: 'after header' | 'before header' | 'after video' = 'after header',
): Buffer {
  const packets = 50;
  const tables = soundTrack(opusEntry, OPUS_RATE, 0, { media: 0, delta: 0 }, 0);
  const fragmentOf = (track: number, bytes: number, ...run: Buffer[]) =>
    box('traf', box('tfhd', uint(0x10, 4), uint(track, 4), uint(bytes, 4)), box('trun', ...run));
  const sound = (...position: Buffer[]) =>
    fragmentOf(1, slowOpusPacket.length, uint(position.length, 4), uint(packets, 4), ...position);
  const data = Buffer.alloc(packets * slowOpusPacket.length, slowOpusPacket);
  const video = Buffer.alloc(700);
  const headerOf = (dataAt: number): Buffer =>
    place === 'after video'
      ? box('moof', fragmentOf(2, video.length, uint(1, 4), uint(1, 4), uint(dataAt, 4)), sound())
      : box('moof', sound(uint(dataAt, 4)));
  const header = headerOf(place === 'before header' ? 2 ** 32 - data.length : headerOf(0).length + 8);
  const content = box('mdat', ...(place === 'after video' ? [video] : []), data);
  const fragment = place === 'before header' ? join(content, header) : join(header, content);
  const defaults = box('trex', uint(0, 4), uint(1, 4), uint(1, 4), uint(delta, 4), Buffer.alloc(8));
  return join(
    box('ftyp', join('iso5')),
    box('moov', movieHeader(0), tables, box('mvex', defaults)),
    repeat(Math.round(seconds / 3), () => fragment),
  );
}

/** Returns a WebM element, without a size if `isOpen`. */
export function element(id: string, content: Buffer, isOpen = false): Buffer {
  const size = isOpen ? uint(0xff, 1) : uint(0x10_000_000 + content.length, 4);
  return join(Buffer.from(id, 'hex'), size, content);
}

export function float(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  return buffer;
}

/** Header fields of a WebM, which may contradict its blocks. */
export interface WebmHeaders {
  milliseconds: number;
  /** Nanoseconds per unit of time. */
  scale: number;
  /** Milliseconds between two blocks. */
  step: number;
}

/** Returns Opus with 50 blocks per second. @param said fields that contradict the blocks */
export function opusWebm(seconds: number, said: Partial<WebmHeaders> = {}): Buffer {
  const { milliseconds, scale, step } = { milliseconds: seconds * 1_000, scale: 1_000_000, step: 20, ...said };
  const packet = join(Buffer.from([0x98]), Buffer.alloc(14));
  const block = (nth: number): Buffer =>
    element('a3', join(Buffer.from([0x81]), uint(nth * step, 2), Buffer.from([0x80]), packet));
  const cluster = (nth: number): Buffer =>
    element('1f43b675', join(element('e7', uint(nth * 50 * step, 4)), repeat(50, block)));
  const track = [
    element('d7', uint(1, 1)),
    element('83', uint(2, 1)),
    element('86', join('A_OPUS')),
    element('63a2', join('OpusHead', Buffer.alloc(11))),
  ];
  const info = [element('2ad7b1', uint(scale, 3)), element('4489', float(milliseconds))];
  const segment = [
    element('1549a966', join(...info)),
    element('1654ae6b', element('ae', join(...track))),
    repeat(seconds, cluster),
  ];
  return join(element('1a45dfa3', element('4282', join('webm'))), element('18538067', join(...segment), true));
}
