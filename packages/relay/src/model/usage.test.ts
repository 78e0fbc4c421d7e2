import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cachedTokens,
  emptyUsage,
  mergeReports,
  outputTokens,
  promptTokens,
  Shares,
  splitCachedMedia,
  type Usage,
  unitCounters,
  usageCounters,
} from './usage.ts';

const usages = fc
  .record(Object.fromEntries(usageCounters.map((counter) => [counter, fc.nat(1_000)])))
  .map((counts): Usage => Object.assign(emptyUsage(), counts));

test('merges two reports to the larger prompt, output and count of each unit', () => {
  fc.assert(
    fc.property(usages, usages, (earlier, later) => {
      const most = mergeReports(earlier, later);
      expect(promptTokens(most)).toBe(Math.max(promptTokens(earlier), promptTokens(later)));
      expect(outputTokens(most)).toBe(Math.max(outputTokens(earlier), outputTokens(later)));
      for (const counter of unitCounters) expect(most[counter]).toBe(Math.max(earlier[counter], later[counter]));
    }),
  );
});

test('replaces an earlier split of the same prompt by a later one', () => {
  const earlier = { ...emptyUsage(), input: 21_000 };
  const later = { ...emptyUsage(), input: 1_000, cachedRead: 20_000 };
  expect(mergeReports(earlier, later)).toEqual(later);
  expect(mergeReports(undefined, later)).toBe(later);
});

test('keeps the doubts of two reports about the billed counters', () => {
  const earlier: Usage = {
    ...emptyUsage(),
    input: 100,
    cachedRead: 900,
    output: 5,
    disputed: { cachedRead: 900 },
    implausible: ['imageInput'],
  };
  const later: Usage = { ...emptyUsage(), input: 10, output: 500, disputed: { output: 400 } };
  expect(mergeReports(earlier, later)).toMatchObject({
    cachedRead: 900,
    output: 500,
    disputed: { cachedRead: 900, output: 400 },
    implausible: ['imageInput'],
  });
  expect(mergeReports(later, { ...later, output: 600, disputed: {} }).disputed).toMatchObject({ input: 0 });
});

test('reports parts that exceed their total', () => {
  const shares = new Shares(100);
  expect(shares.take('cachedRead', 60)).toBe(60);
  expect(shares.take('audioInput', 1_000)).toBe(40);
  expect(shares.take('imageInput', 5)).toBe(0);
  expect(shares.rest).toBe(0);
  expect(shares.implausible).toEqual(['audioInput']);
});

test.each<
  [what: string, cached: number, parts: { audio: unknown; image: unknown }, media: object, implausible: string[]]
>([
  [
    'each kind',
    100,
    { audio: 20, image: 30 },
    { cachedRead: 50, cachedAudioInput: 20, cachedImageInput: 30, audioInput: 20, imageInput: 20 },
    [],
  ],
  ['no details', 100, { audio: undefined, image: 'x' }, { cachedRead: 100, audioInput: 40, imageInput: 50 }, []],
  [
    'more cached audio than audio',
    100,
    { audio: 41, image: 50 },
    { cachedRead: 50, cachedAudioInput: 0, cachedImageInput: 50, audioInput: 40, imageInput: 0 },
    ['cachedAudioInput'],
  ],
  [
    'more cached images than cached tokens',
    30,
    { audio: 10, image: 21 },
    { cachedRead: 20, cachedAudioInput: 10, cachedImageInput: 0, audioInput: 30, imageInput: 50 },
    ['cachedImageInput'],
  ],
])('splits cached tokens by kind: %s', (_what, cached, parts, media, implausible) => {
  const split = splitCachedMedia(cached, { audio: 40, image: 50 }, parts);
  expect(split.media).toMatchObject(media);
  expect(split.implausible).toEqual(implausible);
});

test('preserves the cached tokens and those of each kind, regardless of a report of cached media', () => {
  const tokens = fc.nat(100);
  const odd = fc.oneof(tokens, fc.constantFrom(-1, null, 'x', Number.MAX_VALUE));
  fc.assert(
    fc.property(tokens, tokens, tokens, odd, odd, (cached, audio, image, audioPart, imagePart) => {
      const { media } = splitCachedMedia(cached, { audio, image }, { audio: audioPart, image: imagePart });
      expect(cachedTokens({ ...emptyUsage(), ...media })).toBe(cached);
      expect([media.audioInput + media.cachedAudioInput, media.imageInput + media.cachedImageInput]).toEqual([
        audio,
        image,
      ]);
      for (const count of Object.values(media)) expect(count).toBeGreaterThanOrEqual(0);
    }),
  );
});
