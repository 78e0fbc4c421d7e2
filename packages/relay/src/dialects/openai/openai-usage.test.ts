import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyUsage, type Usage } from '../../model/usage.ts';
import { OpenaiUsageReport } from '../chat/openai-usage-extractor.ts';
import { findOpenaiUsage, readOpenaiUsage, writeOpenaiUsage } from './openai-usage.ts';

describe('usage in OpenAI’s form', () => {
  it('splits the usage into disjoint counters', () => {
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

  it.each(['cache_write_tokens', 'cache_creation_input_tokens'])('reads cache writes from %s', (field) => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { [field]: 7 } };
    expect(readOpenaiUsage(usage)).toMatchObject({ input: 3, cacheWrite5m: 7 });
  });

  it.each([
    ['all writes', 7, 7, { input: 3, cacheWrite5m: 0, cacheWrite1h: 7 }],
    ['some writes', 7, 4, { input: 3, cacheWrite5m: 3, cacheWrite1h: 4 }],
    ['more than the writes', 7, 9, { input: 3, cacheWrite5m: 0, cacheWrite1h: 7 }],
    ['writes that are not counted', undefined, 4, { input: 10, cacheWrite5m: 0, cacheWrite1h: 0 }],
  ])('reads the one-hour cache writes that LiteLLM reports: %s', (_what, written, long, counted) => {
    const details = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: long };
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 1,
      total_tokens: 11,
      prompt_tokens_details: { cache_write_tokens: written, cache_creation_token_details: details },
    };
    expect(readOpenaiUsage(usage)).toMatchObject(counted);
  });

  it('adds the reasoning that xAI excludes from completion_tokens', () => {
    const details = { completion_tokens_details: { reasoning_tokens: 290 } };
    const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 303, ...details };
    expect(readOpenaiUsage(usage)).toMatchObject({ input: 12, output: 1, reasoning: 290 });
  });

  it.each([[null], [undefined], ['x'], [{}], [{ prompt_tokens: null }]])('is missing in %o', (value) => {
    expect(readOpenaiUsage(value)).toBeUndefined();
  });

  it('counts the searches that a vendor reports, else one if the response cites the web', () => {
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

  it.each([
    ['gpt-4o-search-preview-2025-03-11', 1],
    ['gpt-4o-mini-search-preview', 1],
    ['gpt-5-search-api-2025-10-14', 1],
    ['openai/gpt-5-search-api', 1],
    ['gpt-5', 0],
    ['my-search-api', 0],
  ])('counts the search that precedes every response of %s, even without citations: %i', (model, searches) => {
    const report = new OpenaiUsageReport();
    const choices = [{ index: 0, message: { content: 'x', annotations: [] } }];
    report.add({ model, choices, usage: { prompt_tokens: 3, completion_tokens: 1 } });
    expect(report.usage?.webSearch).toBe(searches);
  });

  const usage = { prompt_tokens: 3, completion_tokens: 1 };
  const call = (index: number, name: string) => ({
    index,
    id: `c${index}`,
    type: 'builtin_function',
    function: { name },
  });
  const executed = (index: number, more: object) => ({ index, type: 'search', arguments: '{}', ...more });
  const found = { search_results: { results: [{ url: 'https://example.com' }] } };
  it.each<[what: string, chunks: Record<string, unknown>[], searches: number]>([
    ['no call', [{ choices: [{ message: { content: 'x' } }], usage }], 0],
    ['a client’s own function', [{ choices: [{ message: { tool_calls: [call(0, 'web_search')] } }], usage }], 0],
    ['results of Zhipu', [{ choices: [{ message: { content: 'x' } }], web_search: [{ refer: 'ref_1' }], usage }], 1],
    [
      'results of Zhipu in a stream',
      [
        { choices: [{ delta: { content: 'x' } }], web_search: [{ refer: 'ref_1' }] },
        { choices: [{ delta: { content: 'y' } }], web_search: [{ refer: 'ref_2' }] },
        { choices: [], usage },
      ],
      1,
    ],
    ['a search of Zhipu without results', [{ choices: [{ message: { content: 'x' } }], web_search: [], usage }], 0],
    [
      'calls of Moonshot’s search',
      [
        {
          choices: [{ message: { tool_calls: [call(0, '$web_search'), call(1, '$web_search'), call(2, 'own')] } }],
          usage,
        },
      ],
      2,
    ],
    [
      'calls without numbers',
      [
        {
          choices: [
            { message: { tool_calls: [{ function: { name: '$web_search' } }, { function: { name: '$web_search' } }] } },
          ],
          usage,
        },
      ],
      2,
    ],
    [
      'a call that a stream repeats',
      [
        { choices: [{ index: 0, delta: { tool_calls: [call(0, '$web_search')] } }] },
        { choices: [{ index: 0, delta: { tool_calls: [call(0, '$web_search')] } }] },
        { choices: [], usage },
      ],
      1,
    ],
    [
      'searches that Groq has executed',
      [
        {
          choices: [{ message: { executed_tools: [executed(0, found), executed(1, {}), executed(2, found)] } }],
          usage,
        },
      ],
      2,
    ],
    [
      'a search that a stream first announces',
      [
        { choices: [{ index: 0, delta: { executed_tools: [executed(0, {})] } }] },
        { choices: [{ index: 0, delta: { executed_tools: [executed(0, found)] } }] },
        { x_groq: { usage }, choices: [] },
      ],
      1,
    ],
  ])('counts the searches of a response with %s', (_what, chunks, searches) => {
    const report = new OpenaiUsageReport();
    for (const chunk of chunks) report.add(chunk);
    expect(report.usage?.webSearch).toBe(searches);
  });

  it('limits the searches of a response', () => {
    const report = new OpenaiUsageReport();
    const tool_calls = Array.from({ length: 20_000 }, (_, index) => call(index, '$web_search'));
    report.add({ choices: [{ message: { tool_calls } }], usage });
    expect(report.usage?.webSearch).toBe(10_000);
  });

  it('finds the usage in the choice or in Groq’s own field', () => {
    expect(findOpenaiUsage({ choices: [{ usage: { prompt_tokens: 3 } }] })).toMatchObject({ input: 3 });
    expect(findOpenaiUsage({ x_groq: { usage: { prompt_tokens: 4 } } })).toMatchObject({ input: 4 });
  });

  const choiceUsage = (output: number, more: object = {}): object => ({
    prompt_tokens: 10,
    completion_tokens: output,
    ...more,
  });
  it.each<[what: string, body: Record<string, unknown>, counted: Partial<Usage>]>([
    [
      'two choices',
      {
        choices: [
          { index: 0, usage: choiceUsage(200) },
          { index: 1, usage: choiceUsage(300) },
        ],
      },
      { input: 10, output: 500 },
    ],
    [
      'two choices without indexes',
      { choices: [{ usage: choiceUsage(200) }, { usage: choiceUsage(300) }] },
      { input: 10, output: 500 },
    ],
    [
      'two choices with reasoning and disputed output',
      {
        choices: [1, 2].map(() => ({
          usage: choiceUsage(200, { total_tokens: 240, completion_tokens_details: { reasoning_tokens: 50 } }),
        })),
      },
      { input: 10, output: 360, reasoning: 100, disputed: { output: 60 } },
    ],
    [
      'two choices and the response',
      { choices: [{ usage: choiceUsage(200) }, { usage: choiceUsage(200) }], usage: choiceUsage(250) },
      { input: 10, output: 250 },
    ],
    [
      'two choices and a response without output',
      { choices: [{ usage: choiceUsage(200) }, { usage: choiceUsage(200) }], usage: choiceUsage(0) },
      { input: 10, output: 400 },
    ],
    [
      'more choices than a response can have',
      { choices: Array.from({ length: 1_000 }, (_, nth) => ({ index: -nth, usage: choiceUsage(1) })) },
      { input: 10, output: 128 },
    ],
  ])('reads the usage of %s', (_what, body, counted) => {
    expect(findOpenaiUsage(body)).toMatchObject(counted);
  });

  it.each<[vendor: string, usage: Record<string, unknown>, counted: Partial<Usage>]>([
    [
      'Mistral, whose sound lies beside the prompt',
      {
        prompt_tokens: 12,
        completion_tokens: 40,
        total_tokens: 302,
        prompt_audio_seconds: 2,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 250 },
      },
      { input: 12, audioInput: 250, output: 40, second: 2 },
    ],
    [
      'Grok at Azure Foundry, whose cached tokens are no part of the prompt',
      { prompt_tokens: 150, completion_tokens: 2, total_tokens: 152, prompt_tokens_details: { cached_tokens: 290 } },
      { input: 150, cachedRead: 290, output: 2, disputed: { cachedRead: 290 } },
    ],
    [
      'OpenRouter, whose cache writes lie beside the prompt',
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 185,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 80 },
      },
      { input: 40, cachedRead: 60, cacheWrite5m: 80, output: 5, untimedCacheWrites: 80 },
    ],
    [
      'LiteLLM, which repeats Anthropic’s fields',
      {
        prompt_tokens: 1_000,
        completion_tokens: 5,
        total_tokens: 1_005,
        cache_read_input_tokens: 600,
        cache_creation_input_tokens: 300,
      },
      { input: 100, cachedRead: 600, cacheWrite5m: 300, output: 5, untimedCacheWrites: 300 },
    ],
    [
      'Google’s OpenAI-compatible endpoint, which names its thoughts nowhere',
      { prompt_tokens: 9, completion_tokens: 100, total_tokens: 1_109 },
      { input: 9, output: 1_100, disputed: { output: 1_000 } },
    ],
    [
      'an upstream that writes zeros beside the true field',
      {
        prompt_tokens: 50,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 0 },
        prompt_cache_hit_tokens: 30,
      },
      { input: 20, cachedRead: 30, output: 5 },
    ],
  ])('reads the report of %s', (_vendor, usage, counted) => {
    expect(readOpenaiUsage(usage)).toEqual({ ...emptyUsage(), ...counted });
  });

  it.each<[vendor: string, fields: Record<string, unknown>]>([
    ['Perplexity', { num_search_queries: 3 }],
    ['OpenRouter', { server_tool_use_details: { web_search_requests: 3 } }],
    ['OpenRouter’s older reports', { server_tool_use: { web_search_requests: 3 } }],
    ['LiteLLM', { prompt_tokens_details: { web_search_requests: 3 } }],
    ['xAI', { num_sources_used: 3 }],
    ['Alibaba Cloud', { plugins: { search: { count: 3, strategy: 'turbo' } } }],
  ])('counts the searches of %s', (_vendor, fields) => {
    expect(readOpenaiUsage({ prompt_tokens: 1, completion_tokens: 1, ...fields })).toMatchObject({ webSearch: 3 });
  });

  it('writes cached audio and images as cached tokens and as tokens of their kind', () => {
    const counted = {
      input: 1,
      cachedRead: 2,
      cachedAudioInput: 30,
      cachedImageInput: 400,
      audioInput: 5,
      imageInput: 6,
    };
    expect(writeOpenaiUsage({ ...emptyUsage(), ...counted })).toMatchObject({
      prompt_tokens: 444,
      prompt_tokens_details: {
        cached_tokens: 432,
        audio_tokens: 35,
        image_tokens: 406,
        cached_tokens_details: { text_tokens: 2, audio_tokens: 30, image_tokens: 400 },
      },
    });
  });

  it('round-trips through encoding and decoding', () => {
    const token = fc.nat(1_000);
    const usage = fc.record({
      input: token,
      cachedRead: token,
      cachedAudioInput: token,
      cachedImageInput: token,
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
          ...(usage.cacheWrite5m > 0 && { untimedCacheWrites: usage.cacheWrite5m }),
        });
      }),
    );
  });
});
