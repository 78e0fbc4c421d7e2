import { describe, expect, it } from 'vitest';
import type { ClientRequest } from '../model/client-request.ts';
import type { Meter } from '../model/dialect.ts';
import { emptyUsage, type Usage } from '../model/usage.ts';
import { formRequest, sampleRequest } from '../testing/samples.ts';
import { computeUnitUsage, type UnitUsage } from './unit-usage.ts';

const meter = (reported: Partial<Usage> | undefined, more: Partial<Meter> = {}): Meter => ({
  usage: reported && { ...emptyUsage(), ...reported },
  deliveredCharacters: 400,
  deliveredWideCharacters: 0,
  deliveredSample: '',
  servedModel: undefined,
  finished: true,
  ...more,
});
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
