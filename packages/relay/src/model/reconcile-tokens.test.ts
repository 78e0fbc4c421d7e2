import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconcileTokens, type TokenPart, type TokenReport, type TokenUsage } from './reconcile-tokens.ts';

const count = fc.nat(100_000);
const inPrompt = fc.record({
  cachedRead: count,
  cacheWrite5m: count,
  cacheWrite1h: count,
  audioInput: count,
  imageInput: count,
});
const inCompletion = fc.record({ reasoning: count, audioOutput: count, imageOutput: count });
const absurd = fc.oneof(count, fc.constantFrom(-5, 1.5, null, undefined, 'x', Number.MAX_VALUE));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const countsOf = ({ disputed: _disputed, implausible: _implausible, ...counts }: TokenUsage): number[] =>
  Object.values(counts);
const allOf = (usage: TokenUsage): number => sum(countsOf(usage));

describe('the tokens of a report', () => {
  it('subtracts the parts from totals that include them all, with or without a grand total', () => {
    fc.assert(
      fc.property(count, inPrompt, count, inCompletion, fc.boolean(), (input, asked, output, written, hasTotal) => {
        const prompt = input + sum(Object.values(asked));
        const completion = output + sum(Object.values(written));
        const total = hasTotal ? prompt + completion : undefined;
        expect(reconcileTokens({ prompt, completion, total, parts: { ...asked, ...written } })).toEqual({
          input,
          output,
          ...asked,
          ...written,
          cachedAudioInput: 0,
          cachedImageInput: 0,
        });
      }),
    );
  });

  it('add up to the grand total if the totals exclude parts', () => {
    const besides = fc.subarray<TokenPart>(
      ['reasoning', 'audioInput', 'cacheWrite5m', 'cachedRead', 'imageInput', 'audioOutput'],
      { minLength: 1 },
    );
    fc.assert(
      fc.property(count, inPrompt, count, inCompletion, besides, (input, asked, output, written, beside) => {
        const isInside = ([part]: [string, number]): boolean => !beside.some((one) => one === part);
        const insideOf = (parts: Record<string, number>): number =>
          sum(
            Object.entries(parts)
              .filter(isInside)
              .map(([, tokens]) => tokens),
          );
        const prompt = input + insideOf(asked);
        const completion = output + insideOf(written);
        const total = input + output + sum([...Object.values(asked), ...Object.values(written)]);
        const usage = reconcileTokens({ prompt, completion, total, parts: { ...asked, ...written } });
        const largerThanWhole = sum(
          [
            ...Object.entries(asked).filter((one) => isInside(one) && one[1] > prompt),
            ...Object.entries(written).filter((one) => isInside(one) && one[1] > completion),
          ].map(([, tokens]) => tokens),
        );
        expect(largerThanWhole).toBe(0);
        expect(allOf(usage)).toBe(total);
      }),
    );
  });

  it('ignore a negative total', () => {
    const report = { prompt: -1_000, completion: 50, total: 1_050, parts: {} };
    expect(reconcileTokens(report)).toMatchObject({ input: 0, output: 50 });
  });

  it('splits the cached tokens by kind without changing what the totals include', () => {
    const cached = fc.record({ audio: absurd, image: absurd });
    const report = fc.record({ prompt: count, completion: count, total: absurd, parts: inPrompt, cachedMedia: cached });
    fc.assert(
      fc.property(report, ({ cachedMedia, ...plain }) => {
        const usage = reconcileTokens({ ...plain, cachedMedia });
        const { implausible: _implausible, cachedRead, cachedAudioInput, cachedImageInput, disputed } = usage;
        const whole = reconcileTokens(plain);
        expect(cachedRead + cachedAudioInput + cachedImageInput).toBe(whole.cachedRead);
        expect(usage.output).toBeGreaterThanOrEqual(plain.completion);
        for (const name of ['cachedRead', 'cachedAudioInput', 'cachedImageInput'] as const)
          expect(disputed?.[name] ?? usage[name]).toBe(usage[name]);
      }),
    );
  });

  it('subtracts cached audio and images both from the cached tokens and from those of their kind', () => {
    const parts = { cachedRead: 60, audioInput: 80, imageInput: 10 };
    const report = { prompt: 100, completion: 1, total: 101, parts };
    expect(reconcileTokens({ ...report, cachedMedia: { audio: 50, image: 4 } })).toEqual({
      input: 4,
      cachedRead: 6,
      cachedAudioInput: 50,
      cachedImageInput: 4,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 30,
      imageInput: 6,
      output: 1,
      reasoning: 0,
      audioOutput: 0,
      imageOutput: 0,
    });
    expect(reconcileTokens({ ...report, cachedMedia: { audio: 81, image: 0 } })).toMatchObject({
      cachedRead: 60,
      cachedAudioInput: 0,
      implausible: ['cachedAudioInput'],
    });
  });

  it('disputes all kinds of cached tokens together', () => {
    const parts = { cachedRead: 5_000_000, audioInput: 90 };
    expect(reconcileTokens({ prompt: 100, completion: 5, parts, cachedMedia: { audio: 80, image: 0 } })).toMatchObject({
      cachedRead: 4_999_920,
      cachedAudioInput: 80,
      disputed: { cachedRead: 4_999_920, cachedAudioInput: 80, cachedImageInput: 0 },
    });
  });

  it('counts at least the totals, however absurd the parts', () => {
    const parts = fc.record({
      cachedRead: absurd,
      cacheWrite5m: absurd,
      audioInput: absurd,
      reasoning: absurd,
      imageOutput: absurd,
    });
    fc.assert(
      fc.property(count, count, absurd, parts, (prompt, completion, total, written) => {
        const report: TokenReport = { prompt, completion, total, parts: written };
        const usage = reconcileTokens(report);
        for (const tokens of countsOf(usage)) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
        expect(allOf(usage)).toBeGreaterThanOrEqual(prompt + completion);
        expect(usage.input).toBeLessThanOrEqual(prompt);
      }),
    );
  });

  it('count once where parts overlap: cached audio without details is audio and cached', () => {
    expect(
      reconcileTokens({ prompt: 100, completion: 1, total: 101, parts: { cachedRead: 60, audioInput: 80 } }),
    ).toMatchObject({ input: 0, cachedRead: 60, audioInput: 40 });
  });

  it('ignore a grand total without both totals, as for embeddings', () => {
    expect(reconcileTokens({ prompt: 7, completion: undefined, total: 9, parts: {} })).toMatchObject({
      input: 7,
      output: 0,
    });
  });

  it('ignore a grand total that is smaller than its parts', () => {
    expect(reconcileTokens({ prompt: 7, completion: 5, total: 3, parts: {} })).toMatchObject({ input: 7, output: 5 });
  });

  it('marks tokens as disputed if only one number reports them', () => {
    const { disputed } = reconcileTokens({
      prompt: 10,
      completion: 5,
      total: 2_000_000,
      parts: { cachedRead: 5_000_000, audioOutput: 70, reasoning: 80 },
    });
    expect(disputed).toEqual({ cachedRead: 5_000_000, audioOutput: 70, output: 1_999_985 });
    const proven = reconcileTokens({ prompt: 10, completion: 5, total: 95, parts: { reasoning: 80 } });
    expect(proven.disputed).toBeUndefined();
  });
});
