import { describe, expect, it } from 'vitest';
import { claudeName, familyName } from './facts-from-model-name.ts';

describe('the name of a model', () => {
  it.each([
    ['GPT-5-Mini', 'gpt-5-mini'],
    ['openai/gpt-4o', 'openai/gpt-4o'],
    ['ft:gpt-4o-2024-08-06:team::a1', 'gpt-4o-2024-08-06'],
    ['ft:o4-mini-2025-04-16:team:suffix:a1', 'o4-mini-2025-04-16'],
    ['llama3.3:70b', 'llama3.3:70b'],
    ['deepseek/deepseek-chat:free', 'deepseek/deepseek-chat:free'],
    ['ft:', 'ft:'],
    ['', ''],
  ])('is normalized to its family: %s is %s', (model, name) => {
    expect(familyName(model)).toBe(name);
  });

  it('limits the length of a model name for the pattern match', () => {
    expect(familyName('gpt-5.'.repeat(100_000))).toHaveLength(200);
  });

  it.each([
    ['claude-opus-4.6', 'claude-opus-4-6'],
    ['anthropic/claude-sonnet-4.5:beta', 'anthropic/claude-sonnet-4-5:beta'],
    ['Claude-4.5-Sonnet', 'claude-sonnet-4-5'],
    ['claude-4-opus-20250514', 'claude-opus-4-20250514'],
    ['claude-3-5-haiku-20241022', 'claude-haiku-3-5-20241022'],
    ['claude-3-haiku@20240307', 'claude-haiku-3@20240307'],
    ['us.anthropic.claude-opus-4-6-v1:0', 'us.anthropic.claude-opus-4-6-v1:0'],
    ['claude-2.1', 'claude-2-1'],
  ])('is normalized for Claude: %s is %s', (model, name) => {
    expect(claudeName(model)).toBe(name);
  });
});
