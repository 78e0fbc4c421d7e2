import { expect, it } from 'vitest';
import type { Reasoning } from '../../../model/conversation.ts';
import { geminiModel, planThinking } from './gemini-models-and-thinking.ts';

const shown = { includeThoughts: true };

it.each<[string, Reasoning, unknown]>([
  ['gemini-3-pro-preview', { effort: 'minimal' }, { thinkingLevel: 'LOW', ...shown }],
  ['gemini-3-pro-preview', { effort: 'medium' }, { thinkingLevel: 'HIGH', ...shown }],
  ['gemini-3.1-pro-preview', { effort: 'medium' }, { thinkingLevel: 'MEDIUM', ...shown }],
  ['gemini-3-flash-preview', { effort: 'none' }, { thinkingLevel: 'MINIMAL', includeThoughts: false }],
  ['gemini-9-ultra', { effort: 'max' }, { thinkingLevel: 'HIGH', ...shown }],
  ['gemini-flash-latest', { budgetTokens: 1_000 }, { thinkingLevel: 'LOW', ...shown }],
  ['gemini-2.5-pro', { effort: 'none' }, { thinkingBudget: 128, includeThoughts: false }],
  ['gemini-2.5-pro', { effort: 'max' }, { thinkingBudget: 32_768, ...shown }],
  ['gemini-2.5-flash', { effort: 'none' }, { thinkingBudget: 0 }],
  ['gemini-2.5-flash', { budgetTokens: 0 }, { thinkingBudget: 0 }],
  ['gemini-2.5-flash-lite', { budgetTokens: 100 }, { thinkingBudget: 512, ...shown }],
  ['gemini-2.5-flash', { effort: 'high', isShown: false }, { thinkingBudget: 24_576, includeThoughts: false }],
  ['gemini-2.5-flash', { isShown: true }, shown],
])('plans for %s with %j the config %j', (name, reasoning, config) => {
  const dropped: string[] = [];
  expect(planThinking(reasoning, geminiModel(name), dropped)).toEqual(config);
  expect(dropped).toEqual([]);
});

it('reports reasoning if the model cannot think, unless it is off', () => {
  const dropped: string[] = [];
  expect(planThinking({ effort: 'high' }, geminiModel('gemini-2.0-flash'), dropped)).toBeUndefined();
  expect(planThinking({ effort: 'none' }, geminiModel('gemini-2.0-flash'), dropped)).toBeUndefined();
  expect(dropped).toEqual(['reasoning_effort']);
});
