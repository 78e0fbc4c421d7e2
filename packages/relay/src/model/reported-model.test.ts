import { describe, expect, test } from 'vitest';
import { findServedModel, isDifferentModel, readServedModel } from './reported-model.ts';

describe('the same model', () => {
  test.each([
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['gpt-4o', 'openai/gpt-4o'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5-20251001'],
    ['gemini-flash-latest', 'gemini-2.5-flash-preview-09-2025'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['deepseek-ai/DeepSeek-V3', 'deepseek-v3'],
    ['mistral-large-latest', 'mistral-large-2411'],
    ['openrouter/auto', 'anthropic/claude-sonnet-4.5'],
    ['model-router', 'gpt-5-mini-2025-08-07'],
    ['deepseek/deepseek-r1:free', 'deepseek-r1'],
    ['accounts/fireworks/models/deepseek-v3', 'deepseek-v3-0324'],
    ['Qwen/Qwen3-32B', 'qwen3-32b'],
    ['meta-llama/Llama-3.3-70B-Instruct', 'llama-3.3-70b-instruct-fp8'],
  ])('is %s served as %s', (asked, served) => {
    expect(isDifferentModel(asked, served)).toBe(false);
  });
});

describe('a different model', () => {
  test.each([
    ['gpt-5', 'gpt-5-mini'],
    ['gpt-4', 'gpt-4o-mini'],
    ['gpt-5', 'gpt-4.1'],
    ['gpt-4.1', 'gpt-4'],
    ['claude-opus-4', 'claude-sonnet-4'],
    ['claude-opus-4-5', 'claude-opus-4-1'],
    ['gemini-2.5-pro', 'gemini-2.5-flash'],
    ['llama-3.3-70b', 'llama-3.3-8b'],
  ])('is %s served as %s', (asked, served) => {
    expect(isDifferentModel(asked, served)).toBe(true);
  });
});

test('finds the name in the responses of every dialect', () => {
  expect(readServedModel({ model: 'a' })).toBe('a');
  expect(readServedModel({ modelVersion: 'b' })).toBe('b');
  expect(readServedModel({ type: 'message_start', message: { model: 'c' } })).toBe('c');
  expect(readServedModel({ type: 'response.created', response: { model: 'd' } })).toBe('d');
  expect(readServedModel({ choices: [] })).toBeUndefined();
  expect(findServedModel(Buffer.from('data: {"text":"\\"model\\": \\"x\\"","model": "e"}\n\n'))).toBe('e');
  expect(findServedModel(Buffer.from('data: {"text":"no"}\n\n'))).toBeUndefined();
});
