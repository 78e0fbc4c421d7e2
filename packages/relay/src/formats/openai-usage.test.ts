import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyUsage, tokenCounters } from '../usage.ts';
import { findOpenaiUsage, readOpenaiUsage, writeOpenaiUsage } from './openai-usage.ts';
import { OpenaiUsageReport } from './openai-usage-report.ts';

describe('usage in OpenAI’s spelling', () => {
  it('is taken apart into counters that do not overlap', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10, audio_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 4 },
    };
    expect(readOpenaiUsage(usage)).toMatchObject({
      input: 25,
      cachedRead: 60,
      cacheWrite5m: 10,
      audioInput: 5,
      output: 16,
      reasoning: 30,
      audioOutput: 4,
    });
  });

  it.each([
    ['DeepSeek', { prompt_cache_hit_tokens: 7 }],
    ['Moonshot', { cached_tokens: 7 }],
    ['Mistral', { num_cached_tokens: 7 }],
  ])('finds the cached tokens of %s', (_, fields) => {
    expect(readOpenaiUsage({ prompt_tokens: 10, completion_tokens: 1, ...fields })).toMatchObject({
      input: 3,
      cachedRead: 7,
    });
  });

  it.each(['cache_write_tokens', 'cache_creation_input_tokens'])('finds what was cached as %s', (field) => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { [field]: 7 } };
    expect(readOpenaiUsage(usage)).toMatchObject({ input: 3, cacheWrite5m: 7 });
  });

  it('adds the reasoning that xAI leaves out of completion_tokens', () => {
    const details = { completion_tokens_details: { reasoning_tokens: 290 } };
    const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 303, ...details };
    expect(readOpenaiUsage(usage)).toMatchObject({ input: 12, output: 1, reasoning: 290 });
  });

  it.each([[null], [undefined], ['x'], [{}], [{ prompt_tokens: null }]])('is missing in %o', (value) => {
    expect(readOpenaiUsage(value)).toBeUndefined();
  });

  it('counts the searches that a vendor reports, else one when the answer cites the web', () => {
    const cited = { annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com' } }] };
    const searches = (...chunks: Record<string, unknown>[]): number | undefined => {
      const report = new OpenaiUsageReport();
      for (const chunk of chunks) report.add(chunk);
      return report.usage?.webSearch;
    };
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    expect(searches({ choices: [{ message: cited }], usage })).toBe(1);
    expect(searches({ choices: [{ delta: cited }] }, { choices: [], usage })).toBe(1);
    expect(searches({ choices: [{ message: { annotations: [] } }], usage })).toBe(0);
    expect(searches({ choices: [{ message: cited }], usage: { ...usage, num_search_queries: 4 } })).toBe(4);
  });

  it('is found in the choice or in Groq’s own field', () => {
    expect(findOpenaiUsage({ choices: [{ usage: { prompt_tokens: 3 } }] })).toMatchObject({ input: 3 });
    expect(findOpenaiUsage({ x_groq: { usage: { prompt_tokens: 4 } } })).toMatchObject({ input: 4 });
  });

  it('never counts more or less than was reported, however absurd the details', () => {
    const count = fc.oneof(fc.nat(1_000), fc.constantFrom(-5, 1.5, null, 'x', Number.MAX_VALUE));
    const details = fc.record({ cached_tokens: count, audio_tokens: count, reasoning_tokens: count });
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), details, details, (prompt, completion, input, output) => {
        const usage = readOpenaiUsage({
          prompt_tokens: prompt,
          completion_tokens: completion,
          prompt_tokens_details: input,
          completion_tokens_details: output,
        });
        expect(tokenCounters.reduce((sum, counter) => sum + (usage?.[counter] ?? 0), 0)).toBe(
          prompt + completion,
        );
      }),
    );
  });

  it('survives being written and read again', () => {
    const token = fc.nat(1_000);
    const usage = fc.record({
      input: token,
      cachedRead: token,
      cacheWrite5m: token,
      cacheWrite1h: fc.constant(0),
      output: token,
      reasoning: token,
      audioInput: token,
      audioOutput: token,
      imageInput: token,
      imageOutput: token,
    });
    fc.assert(
      fc.property(usage, (usage) => {
        expect(readOpenaiUsage(writeOpenaiUsage({ ...emptyUsage(), ...usage }))).toEqual({
          ...emptyUsage(),
          ...usage,
        });
      }),
    );
  });
});
