import { describe, expect, test } from 'vitest';
import { describeUnknownPath, detectDialect, isGeminiPath, isRelayPath, resolveRoute } from './relay-paths.ts';

describe('a path of the Gemini API', () => {
  test.each([
    ['/v1beta/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
    ['/gemini/v1beta/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
    ['/v1/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
    ['/gemini/v1/models/gemini-2.5-pro:generateContent/', 'gemini-2.5-pro'],
    ['/v1beta1/publishers/google/models/gemini-2.5-pro:generateContent?key=x', 'gemini-2.5-pro'],
    ['/v1beta/models/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
    ['/v1beta/models/vendor%2Fmodel%3Afree:generateContent', 'vendor/model:free'],
    ['/v1beta/models/llama3:8b:generateContent', 'llama3:8b'],
    ['/v1beta/tunedModels/mine:generateContent', 'tunedModels/mine'],
  ])('%s names the model %s', (address, model) => {
    expect(resolveRoute(address)).toEqual({
      operation: 'chat',
      format: 'gemini',
      model,
      stream: false,
      framing: 'json-array',
    });
  });

  test.each([
    ['?alt=sse', 'sse'],
    ['?key=a&alt=sse', 'sse'],
    ['?$alt=sse', 'sse'],
    ['?%24alt=sse', 'sse'],
    ['', 'json-array'],
    ['?alt=json', 'json-array'],
    ['?x=alt=sse', 'json-array'],
  ])('with %s streams as %s', (query, framing) => {
    const route = resolveRoute(`/v1beta/models/m:streamGenerateContent${query}`);
    expect(route).toMatchObject({ stream: true, framing });
  });

  test.each([
    '/v1beta/models/m:predict',
    '/v1beta/models/%E0%A4%A:generateContent',
    '/v1beta/models/:generateContent',
    '/v1beta/models/m',
    '/gemini/',
    '/gemini',
    '/v1/models/m:batchGenerateContent',
    '/v1beta/cachedContents',
  ])('%s is not relayed, with an error like Google’s', (path) => {
    expect(resolveRoute(path)).toBeUndefined();
    expect(detectDialect(path)).toBe('gemini');
  });

  test('recognizes a Gemini path for embeddings', () => {
    const route = { operation: 'embeddings', format: 'gemini-embeddings', model: 'm', stream: false };
    expect(resolveRoute('/v1beta/models/m:embedContent')).toEqual(route);
    expect(resolveRoute('/gemini/v1beta/models/m:batchEmbedContents')).toEqual(route);
  });

  test('names the action that is not offered', () => {
    expect(describeUnknownPath('POST', '/v1beta/models/m:predict')).toContain('The action predict is not supported');
    expect(describeUnknownPath('POST', '/v1/nothing')).toContain('Invalid URL (POST /v1/nothing). Check the method');
    expect(describeUnknownPath('GET', '/v1beta/models/m:predict')).toContain('Invalid URL (GET');
  });

  test('recognizes the relay’s paths and no others', () => {
    for (const path of ['/v1beta/models', '/gemini/v1beta/models', '/v1/models', '/claude/v1/messages'])
      expect(isRelayPath(path)).toBe(true);
    expect(isRelayPath('/v2/rerank')).toBe(true);
    expect(detectDialect('/v2/rerank')).toBe('cohere-rerank');
    for (const path of ['/geminis', '/api/quote', '/v1']) expect(isRelayPath(path)).toBe(false);
    for (const path of ['/v1/models/gpt-4o', '/v1/chat/completions', '/v1betamax/models', '/claude/v1/messages'])
      expect(isGeminiPath(path)).toBe(false);
  });
});
