import { expect, test } from 'vitest';
import { createModelLookup, readShippedModels } from '../../catalog/models/models.ts';
import { presentModel } from './listed-model.ts';

const factsOf = createModelLookup(readShippedModels());

test('OpenAI’s list has vendor, dates, context and modalities as its clients read them', () => {
  expect(presentModel(factsOf, 'openai', 'gpt-5')).toEqual({
    id: 'gpt-5',
    object: 'model',
    created: Date.UTC(2025, 7, 7) / 1000,
    owned_by: 'openai',
    shutdown_date: '2026-12-11',
    context_length: 400_000,
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
    top_provider: { max_completion_tokens: 128_000 },
  });
  expect(presentModel(factsOf, 'openai', 'text-embedding-3-small')).toMatchObject({
    architecture: { output_modalities: ['embeddings'] },
  });
});

test('each list shows the configured name, and the description if the dialect has a field for it', () => {
  const named = () => ({ model: 'm', name: 'House model', description: 'For short answers' });
  expect(presentModel(named, 'openai', 'm')).toMatchObject({
    id: 'm',
    name: 'House model',
    description: 'For short answers',
  });
  expect(presentModel(named, 'anthropic', 'm')).toMatchObject({ id: 'm', display_name: 'House model' });
  expect(presentModel(named, 'gemini', 'm')).toMatchObject({
    name: 'models/m',
    displayName: 'House model',
    description: 'For short answers',
  });
});

test('Anthropic’s list contains the limits and capabilities of a model', () => {
  expect(presentModel(factsOf, 'anthropic', 'claude-haiku-4-5-20251001')).toEqual({
    type: 'model',
    id: 'claude-haiku-4-5-20251001',
    display_name: 'claude-haiku-4-5-20251001',
    created_at: '2025-10-15T00:00:00Z',
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    capabilities: {
      image_input: { supported: true },
      pdf_input: { supported: true },
      structured_outputs: { supported: true },
      thinking: { supported: true },
      server_tools: { supported: true, web_search: { supported: true } },
    },
  });
  expect(presentModel(factsOf, 'anthropic', 'claude-opus-4-1-20250805')).toMatchObject({
    lifecycle: 'deprecated',
    retires_at: '2026-08-05T00:00:00Z',
  });
});

test('Gemini’s list has limits and methods', () => {
  expect(presentModel(factsOf, 'gemini', 'gemini-3.8-flash')).toEqual({
    name: 'models/gemini-3.8-flash',
    baseModelId: 'gemini-3.8-flash',
    displayName: 'gemini-3.8-flash',
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    thinking: true,
  });
  expect(presentModel(factsOf, 'gemini', 'gemini-embedding-001')).toMatchObject({
    supportedGenerationMethods: ['embedContent'],
  });
});

test('lists only the name of a model without known facts', () => {
  expect(presentModel(factsOf, 'openai', 'my-own')).toEqual({
    id: 'my-own',
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'switchyard',
  });
  expect(presentModel(factsOf, 'anthropic', 'my-own')).toMatchObject({
    max_input_tokens: null,
    max_tokens: null,
    capabilities: null,
  });
  expect(presentModel(factsOf, 'anthropic', 'my-own')).not.toHaveProperty('lifecycle');
  expect(presentModel(factsOf, 'gemini', 'my-own')).toEqual({
    name: 'models/my-own',
    baseModelId: 'my-own',
    displayName: 'my-own',
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  });
});
