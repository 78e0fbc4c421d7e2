import { describe, expect, it } from 'vitest';
import { measureAudioLength } from './media/audio-length.ts';
import { createChatTest, planModelTest } from './model-probe-requests.ts';
import { findProvider } from './providers.ts';

describe('a model with a cheap test', () => {
  it.each([
    ['text-embedding-3-small', 'embeddings'],
    ['bge-m3', 'embeddings'],
    ['gpt-3.5-turbo-instruct', 'completions'],
    ['qwen-instruct', 'chat'],
    ['claude-haiku-4-5', 'chat'],
    ['o3-pro', 'chat'],
    ['omni-moderation-latest', 'moderation'],
    ['bge-reranker-v2-m3', 'rerank'],
    ['tts-1', 'speech'],
    ['gpt-4o-mini-tts', 'speech'],
    ['whisper-1', 'transcription'],
    ['gpt-4o-transcribe', 'transcription'],
  ])('named %s gets a request for %s', (model, operation) => {
    const test = planModelTest(model);
    expect(test).toMatchObject({ operation, isCheap: true, request: { operation, facts: { model } } });
    expect(test.request?.facts.maxOutputTokens).toBeLessThan(20);
  });

  it('gets one second of silence to transcribe', () => {
    const request = planModelTest('whisper-1').request;
    const file = request?.form?.parts.find(({ filename }) => filename !== undefined);
    const sound = request?.body.subarray(file?.contentStart, file?.contentEnd);
    expect(measureAudioLength(sound ?? Buffer.alloc(0))).toMatchObject({ seconds: 1, isMeasured: true });
  });

  it.each([
    ['gpt-4o-audio-preview', undefined, ['text', 'audio']],
    ['gpt-audio-mini', undefined, ['text', 'audio']],
    ['gemini-2.5-flash-preview-tts', 'gemini', ['audio']],
  ])('named %s gets a chat request for audio', (model, provider, modalities) => {
    const test = planModelTest(model, { provider: provider === undefined ? undefined : findProvider(provider) });
    expect(test).toMatchObject({ operation: 'chat', isCheap: true, request: { json: { modalities } } });
  });
});

it.each([
  ['gpt-image-1', 'openai', 'images'],
  ['flux-2-pro', 'custom', 'images'],
  ['house-model', 'bfl', 'images'],
  ['gemini-2.5-flash-image', 'gemini', 'chat'],
])('generates images with %s for an administrator only', (model, provider, operation) => {
  const test = planModelTest(model, { provider: findProvider(provider) });
  expect(test).toMatchObject({ operation, isCheap: false, request: { operation } });
});

it('generates an image of the cheapest quality', () => {
  expect(planModelTest('gpt-image-1').request?.json).toMatchObject({ quality: 'low' });
  expect(planModelTest('dall-e-3').request?.json).not.toHaveProperty('quality');
});

it.each([
  ['sora-2', 'videos'],
  ['veo-3.1-generate-preview', 'videos'],
  ['gpt-realtime', 'realtime'],
  ['midjourney', 'drawing'],
  ['suno_music', 'music'],
  ['o3-deep-research', 'chat'],
])('has no cheap test for %s, which serves %s', (model, operation) => {
  expect(planModelTest(model)).toEqual({ operation, isCheap: false, request: undefined });
});

it('tests any model with a short chat request', () => {
  expect(createChatTest('sora-2')).toMatchObject({ operation: 'chat', facts: { model: 'sora-2' } });
});
