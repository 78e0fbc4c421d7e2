import { describe, expect, it } from 'vitest';
import { emptyUsage, TOKENS_MAX, type Usage } from '../../../model/usage.ts';
import { UsageReport, writeUsage } from './usage-report.ts';

function usageOf(...chunks: Record<string, unknown>[]): Usage | undefined {
  const report = new UsageReport();
  for (const chunk of chunks) report.add(chunk);
  return report.usage;
}

const counted = (usageMetadata: unknown): Record<string, unknown> => ({ usageMetadata });

describe('reported usage', () => {
  it('separates caches, modalities and thoughts into disjoint counters', () => {
    expect(
      usageOf(
        counted({
          promptTokenCount: 100,
          toolUsePromptTokenCount: 7,
          cachedContentTokenCount: 40,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 60 },
            { modality: 'AUDIO', tokenCount: 30 },
            { modality: 'IMAGE', tokenCount: 10 },
          ],
          cacheTokensDetails: [
            { modality: 'TEXT', tokenCount: 16 },
            { modality: 'AUDIO', tokenCount: 20 },
            { modality: 'IMAGE', tokenCount: 4 },
          ],
          candidatesTokenCount: 50,
          candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 45 }],
          thoughtsTokenCount: 12,
        }),
      ),
    ).toEqual({
      ...emptyUsage(),
      input: 51,
      cachedRead: 16,
      cachedAudioInput: 20,
      cachedImageInput: 4,
      audioInput: 10,
      imageInput: 6,
      output: 5,
      imageOutput: 45,
      reasoning: 12,
    });
  });

  it('marks cached audio that exceeds the cached tokens or the audio', () => {
    const details = (tokenCount: number) => [{ modality: 'AUDIO', tokenCount }];
    const cached = { promptTokenCount: 100, cachedContentTokenCount: 40 };
    for (const [audio, cachedAudio] of [
      [30, 31],
      [60, 41],
    ] as const) {
      const report = { promptTokensDetails: details(audio), cacheTokensDetails: details(cachedAudio) };
      expect(usageOf(counted({ ...cached, ...report }))).toEqual({
        ...emptyUsage(),
        input: 60 - audio,
        cachedRead: 40,
        audioInput: audio,
        implausible: ['cachedAudioInput'],
      });
    }
  });

  it('limits the usage', () => {
    const usage = usageOf(counted({ promptTokenCount: 1e308, toolUsePromptTokenCount: 1e9 }));
    expect(usage?.input).toBe(TOKENS_MAX);
  });

  it('keeps the last value of each field in either spelling and ignores reports of the traffic type alone', () => {
    expect(usageOf(counted({ trafficType: 'ON_DEMAND' }))).toBeUndefined();
    const usage = usageOf(
      counted({ promptTokenCount: 9, candidatesTokenCount: 1 }),
      counted({ promptTokenCount: 9, candidatesTokenCount: 5, thoughtsTokenCount: null }),
      counted({ trafficType: 'ON_DEMAND' }),
    );
    expect(usage).toMatchObject({ input: 9, output: 5 });
    expect(usageOf({ usage_metadata: { prompt_token_count: 3 } })).toMatchObject({ input: 3, output: 0 });
  });

  it('reads zero as a value and invalid values as zero', () => {
    expect(usageOf(counted({ promptTokenCount: 0 }))).toEqual(emptyUsage());
    const nonsense = { promptTokenCount: '5', candidatesTokenCount: -1, promptTokensDetails: { a: 1 } };
    expect(usageOf(counted(nonsense))).toEqual(emptyUsage());
    const usage = usageOf(counted({ promptTokenCount: 5, cachedContentTokenCount: 9 }));
    expect(usage).toMatchObject({ input: 0, cachedRead: 5 });
  });

  it('counts the excess of the total as output', () => {
    const counts = { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 114 };
    expect(usageOf(counted(counts))).toMatchObject({ input: 9, output: 105 });
  });

  const groundedIn = (source: string): Record<string, unknown> => ({
    modelVersion: 'gemini-3-flash-preview',
    candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b'], groundingChunks: [{ [source]: {} }] } }],
  });

  it('counts searches besides the tokens', () => {
    const tokens = counted({ promptTokenCount: 1 });
    expect(usageOf(groundedIn('web'), tokens)).toMatchObject({ input: 1, webSearch: 2, mapsGrounding: 0 });
    expect(usageOf(groundedIn('maps'), tokens)).toMatchObject({ input: 1, webSearch: 0, mapsGrounding: 2 });
  });

  it('counts searches of a response without a token report', () => {
    expect(usageOf(groundedIn('maps'))).toEqual({ ...emptyUsage(), mapsGrounding: 2 });
  });
});

it('round-trips all usage except cache writes', () => {
  const cached = { cachedRead: 4, cachedAudioInput: 20, cachedImageInput: 30 };
  const usage = { ...emptyUsage(), ...cached, input: 5, audioInput: 3, output: 6, reasoning: 7, imageOutput: 8 };
  const written = writeUsage(usage);
  expect(written).toMatchObject({ promptTokenCount: 62, candidatesTokenCount: 14, totalTokenCount: 83 });
  expect(written).toMatchObject({ cachedContentTokenCount: 54 });
  expect(usageOf(counted(written))).toEqual(usage);
  expect(usageOf(counted(writeUsage({ ...usage, cacheWrite5m: 2 })))).toEqual({ ...usage, input: 7 });
});
