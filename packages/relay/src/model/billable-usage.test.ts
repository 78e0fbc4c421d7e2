import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { chunk, flac, join, oggPage, opusOgg, slowMp3, wav } from '../testing/sample-recordings.ts';
import { fixture, formRequest, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { computeUnitUsage, type UnitUsage } from './billable-usage.ts';
import type { ClientRequest } from './client-request.ts';
import type { Meter } from './dialect.ts';
import { emptyUsage, type Usage } from './usage.ts';

const meter = (reported: Partial<Usage> | undefined, more: Partial<Meter> = {}): Meter => ({
  usage: reported && { ...emptyUsage(), ...reported },
  deliveredCharacters: 400,
  deliveredWideCharacters: 0,
  deliveredSample: '',
  servedModel: undefined,
  finished: true,
  ...more,
});
function pcmWav(seconds: number): Buffer {
  const format = { codec: 1, channels: 1, rate: 24_000, bytesPerSecond: 48_000, blockBytes: 2, bits: 16 };
  return wav(format, chunk('data', Buffer.alloc(48_000 * seconds), 0xffffffff));
}
function used(request: ClientRequest, answered: Meter, isPricedByUnit: boolean): UnitUsage {
  const { expected } = request.facts;
  if (expected === undefined) throw new Error('nothing is expected of this request');
  return computeUnitUsage(request, expected, answered, isPricedByUnit);
}

const pictures = sampleRequest('openai-images', { n: 2, quality: 'low', size: '1024x1536' });
const speech = sampleRequest('openai-speech', { input: 'a🙂 word' });
const recording = formRequest('openai-transcription', { model: 'm', file: Buffer.alloc(80_000) });

describe('unit usage with a price for the unit', () => {
  it('counts the delivered images, even none', () => {
    expect(used(pictures, meter({ image: 1, imageVariant: '1024x1024' }), true)).toMatchObject({
      usage: { image: 1, imageVariant: '1024x1024', imageOutput: 0 },
      source: 'reported',
    });
    expect(used(pictures, meter({}), true).usage.image).toBe(0);
  });

  it('counts the requested characters as code points', () => {
    expect(used(speech, meter(undefined, { finished: false }), true)).toMatchObject({
      usage: { character: 7, input: 0, audioOutput: 0 },
      source: 'counted',
    });
  });

  it('counts the reported seconds, else those of the recording', () => {
    expect(used(recording, meter({ second: 12 }), true)).toMatchObject({ usage: { second: 12 }, source: 'reported' });
    expect(used(recording, meter({ input: 90, output: 5 }), true)).toMatchObject({
      usage: { second: 10, input: 90, output: 5 },
      source: 'estimated',
    });
  });
});

/** Returns the charged tokens of an audio that arrives in pieces. @param pieceBytes bytes of a piece */
function spokenTokens(audio: Buffer, fields: Record<string, unknown>, pieceBytes: number): number {
  const request = sampleRequest('openai-speech', fields);
  const reader = planExchange(request, sampleTarget('custom')).readResponse({ 'content-type': 'audio/mpeg' });
  const hasEvents = fields['stream_format'] === 'sse';
  for (let at = 0; at < audio.length; at += pieceBytes) {
    const piece = audio.subarray(at, at + pieceBytes);
    const event = { type: 'speech.audio.delta', audio: piece.toString('base64') };
    reader.push(hasEvents ? Buffer.from(`data: ${JSON.stringify(event)}\n\n`) : piece);
  }
  if (hasEvents) reader.push(Buffer.from('data: {"type":"speech.audio.done"}\n\n'));
  reader.end();
  return used(request, reader.meter, false).usage.audioOutput;
}

/** A frame of 128 kbit/s and 44.1 kHz. */
const loudMp3Frame = join(Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413));
/** Returns a frame of 16 kHz, 64 ms. */
function aacFrame(bytes: number): Buffer {
  const header = Buffer.from([0xff, 0xf1, 0x60, 0x40, bytes >> 3, (bytes & 7) << 5, 0xfc]);
  return join(header, Buffer.alloc(bytes - header.length));
}
/** Returns 20 seconds of loud and 600 of quiet FLAC, whose loud frames have 2,546 bytes. */
function quietFlac(): Buffer {
  const frames = flac(20);
  const loud = (nth: number): Buffer => join(frames.subarray(42 + nth * 46, 88 + nth * 46), Buffer.alloc(2_500, 0x5a));
  return join(frames.subarray(0, 42), ...Array.from({ length: 78 }, (_, nth) => loud(nth)), flac(600).subarray(42));
}
/** Returns 20 seconds of loud and 600 of quiet Opus in one stream. */
function quietOpus(): Buffer {
  const page = (nth: number): Buffer => {
    const packet = join(Buffer.from([0x98]), Buffer.alloc(nth < 20 ? 199 : 2));
    return oggPage(
      (nth + 1) * 48_000,
      Array.from({ length: 50 }, () => packet),
    );
  };
  return join(opusOgg(0), ...Array.from({ length: 620 }, (_, nth) => page(nth)));
}

describe('speech with a token price only', () => {
  it.each([
    ['pcm', Buffer.alloc(48_000 * 600)],
    ['mp3', slowMp3(600)],
    ['flac', flac(600)],
    ['opus', opusOgg(600)],
    ['opus', opusOgg(600, 0.001)],
    ['opus', join(opusOgg(599), oggPage(4_000_000_000, [Buffer.from([0x98])]))],
    ['wav', pcmWav(600)],
    ['mp3', join('ID3', Buffer.from([4, 0, 0, 0, 0, 1, 0]), Buffer.alloc(128), slowMp3(600))],
  ])('costs the ten minutes that a short text takes as %s, also in events', (response_format, audio) => {
    for (const [pieceBytes, stream_format] of [
      [1_000, 'audio'],
      [100_000, 'audio'],
      [audio.length, 'audio'],
      [100_000, 'sse'],
    ] as const) {
      const seconds = spokenTokens(audio, { input: 'Hi', response_format, stream_format }, pieceBytes) / 20;
      expect(seconds).toBeGreaterThan(595);
      expect(seconds).toBeLessThan(606);
    }
  });

  it.each(['low.mp3', 'speech.aac', 'opus.ogg', 'speech.flac', 'ima.wav'])('costs the length of %s', (name) => {
    const tokens = spokenTokens(fixture(`recordings/${name}`), { input: 'Hi' }, 700);
    expect(tokens).toBeGreaterThan(4 * 20);
    expect(tokens).toBeLessThan(5.2 * 20);
  });

  it.each<[string, Buffer]>([
    ['MP3', join(Buffer.alloc(240 * 417, loudMp3Frame), slowMp3(600))],
    ['AAC', join(Buffer.alloc(500 * 200, aacFrame(200)), Buffer.alloc(9_375 * 12, aacFrame(12)))],
    ['FLAC', quietFlac()],
    ['Opus', quietOpus()],
  ])('costs the ten minutes of silence after its first seconds as %s', (_, audio) => {
    for (const pieceBytes of [1_000, 100_000, audio.length]) {
      const seconds = spokenTokens(audio, { input: 'Hi' }, pieceBytes) / 20;
      expect(seconds).toBeGreaterThan(600);
      expect(seconds).toBeLessThan(640);
    }
  });

  it.each([
    ['mp3', slowMp3(60)],
    ['pcm', Buffer.alloc(48_000 * 60)],
  ])('costs the length of the %s that a vendor returns in hexadecimal digits', (response_format, audio) => {
    const request = sampleRequest('openai-speech', { input: 'Hi', response_format });
    const reader = planExchange(request, sampleTarget('minimax')).readResponse();
    reader.push(Buffer.from(JSON.stringify({ data: { audio: audio.toString('hex') } })));
    expect(reader.end()).toEqual(audio);
    expect(Math.abs(used(request, reader.meter, false).usage.audioOutput - 1_200)).toBeLessThan(5);
  });

  it('costs its text at least, and the delivered events without a report', () => {
    const text = { input: 'word '.repeat(300) };
    expect(spokenTokens(slowMp3(1), text, 1_000)).toBe(2_000);
    const request = sampleRequest('openai-speech', { input: 'Hi', response_format: 'pcm', stream_format: 'sse' });
    const deliveredBinaryCharacters = (48_000 * 600) / 192;
    expect(used(request, meter(undefined, { deliveredBinaryCharacters }), false).usage.audioOutput).toBe(12_000);
  });

  it('costs the delivered part when the audio breaks off', () => {
    const request = sampleRequest('openai-speech', { input: 'Hi' });
    const reader = planExchange(request, sampleTarget('custom')).readResponse({ 'content-type': 'audio/mpeg' });
    reader.push(slowMp3(60));
    const { audioOutput } = used(request, reader.meter, false).usage;
    expect(Math.abs(audioOutput - 1_200)).toBeLessThan(20);
  });
});

describe('unit usage with a token price only', () => {
  it('keeps the reported tokens', () => {
    const reported = { audioInput: 120, output: 30 };
    expect(used(recording, meter(reported), false)).toMatchObject({ usage: reported, source: 'reported' });
  });

  it('estimates implausible audio without the cached audio that was reported', () => {
    const reported = { input: 3, cachedAudioInput: 40, output: 30, implausible: ['audioInput'] as const };
    expect(used(recording, meter(reported), false)).toMatchObject({
      usage: { cachedAudioInput: 40, audioInput: 60 },
      source: 'estimated',
    });
  });

  it('estimates the tokens from the request when none are reported', () => {
    expect(used(recording, meter({ second: 10 }, { deliveredCharacters: 100 }), false)).toMatchObject({
      usage: { second: 10, audioInput: 100, output: 40 },
      source: 'estimated',
    });
    expect(used(pictures, meter({ image: 1 }), false).usage).toMatchObject({ image: 1, imageOutput: 408 });
    expect(used(pictures, meter({ image: 0 }), false).usage.imageOutput).toBe(0);
  });

  it('estimates the tokens of images by the size and the quality that the response reports', () => {
    const drawn = { image: 2, imageVariant: '2048x2048/low' };
    expect(used(pictures, meter(drawn), false).usage.imageOutput).toBe(2 * 4 * 272);
  });

  it('keeps the reported tokens of images without those of the prompt', () => {
    expect(used(pictures, meter({ image: 1, imageOutput: 272 }), false).usage.imageOutput).toBe(272);
  });

  it('estimates the output that was delivered but not reported', () => {
    expect(used(pictures, meter({ input: 50, image: 1 }), false)).toMatchObject({
      usage: { input: 50, image: 1, imageOutput: 408 },
      source: 'estimated',
    });
    const silent = used(recording, meter({ audioInput: 120 }, { deliveredCharacters: 0 }), false);
    expect(silent).toMatchObject({ usage: { audioInput: 120, output: 0 }, source: 'reported' });
  });

  it('estimates images of a request without a size by the vendor’s default', () => {
    const request = sampleRequest('openai-images', { model: 'doubao-seedream-4-0-250828' });
    expect(used(request, meter({ image: 1 }), false).usage.imageOutput).toBe(4 * 4_160);
  });

  it('counts no more output than was delivered when the response broke off', () => {
    const broken = { finished: false, deliveredCharacters: 8 };
    const { usage } = used(
      sampleRequest('openai-speech', { input: 'word '.repeat(100) }),
      meter(undefined, broken),
      false,
    );
    expect(usage.audioOutput).toBe(2);
    expect(usage.input).toBeGreaterThan(90);
  });
});
