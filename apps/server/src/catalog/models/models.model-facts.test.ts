import { describe, expect, test } from 'vitest';
import { createModelLookup, readShippedModels } from './models.ts';

describe('a model is found', () => {
  const find = createModelLookup(
    ['gpt-5', 'gpt-5-mini*', 'gpt-5-2026-01-01', 'claude-x', 'claude-x*', 'host/gpt-5'].map((model) => ({ model })),
  );

  test.each([
    ['gpt-5', 'gpt-5'],
    ['gpt-5-2025-08-07', 'gpt-5'],
    ['gpt-5-2026-01-01', 'gpt-5-2026-01-01'],
    ['gpt-5-mini-fast', 'gpt-5-mini*'],
    ['openai/gpt-5', 'gpt-5'],
    ['host/gpt-5', 'host/gpt-5'],
    ['accounts/any/models/gpt-5-20250807', 'gpt-5'],
    ['claude-x-20260101', 'claude-x'],
    ['claude-x@20260101', 'claude-x'],
    ['anthropic.claude-x-20260101-v1:0', 'claude-x'],
    ['us.anthropic.claude-x-20260101-v1:0', 'claude-x'],
    ['claude-x-fast', 'claude-x*'],
  ])('%s as %s', (name, entry) => {
    expect(find(name)?.model).toBe(entry);
  });

  test.each(['gpt-6', 'my-gpt-5', 'gpt-5-large', '', '/', 'toString'])('%s not at all', (name) => {
    expect(find(name)).toBeUndefined();
  });
});

describe('the shipped list', () => {
  const models = readShippedModels();

  test('ships a large, sorted list with facts of every model and no duplicates', () => {
    const names = models.map(({ model }) => model);
    expect(names.length).toBeGreaterThan(500);
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(models.filter((entry) => Object.keys(entry).length < 2)).toEqual([]);
  });

  test('knows no answer that is longer than the context, and no end before a beginning', () => {
    expect(models.filter(({ context_length = Infinity, output_max = 0 }) => output_max > context_length)).toEqual([]);
    expect(models.filter(({ released = '', retires = '9999' }) => retires <= released)).toEqual([]);
  });

  test.each([
    ['gpt-4.1-2025-04-14', { owner: 'openai', context_length: 1_047_576, output_max: 32_768 }],
    ['claude-opus-4-20250514', { owner: 'anthropic', context_length: 200_000, retires: '2026-06-15' }],
    ['google/gemini-2.5-pro', { context_length: 1_048_576, retires: '2026-12-01', successor: 'gemini-3.8-flash' }],
    ['claude-sonnet-4-5-20250929', { retires: '2026-11-30', successor: 'claude-sonnet-5-5' }],
    ['grok-4-0709', { retires: '2026-05-15', successor: 'grok-4.3' }],
    ['deepseek-chat', { retires: '2026-07-24', successor: 'deepseek-v4-flash' }],
    ['whisper-1', { input: ['audio'], output: ['text'] }],
  ])('knows %s', (model, facts) => {
    expect(createModelLookup(models)(model)).toMatchObject(facts);
  });

  test('does not end open weights with the name that their maker had for them', () => {
    expect(createModelLookup(models)('deepseek/deepseek-chat-v3.1')).not.toHaveProperty('retires');
  });
});
