import { expect, it } from 'vitest';
import { adjustExpectedUsage } from '../../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../../testing/samples.ts';

it.each<[input: string, azure: number, others: number]>([
  ['hello', 5, 5],
  ['你好', 4, 2],
  ['a你好🙂', 6, 4],
  ['日本のテレビ', 8, 6],
  ['漢江 한강', 7, 5],
  ['𠀀々', 4, 2],
])('counts each Chinese character of %j as two for Azure Speech only', (input, azure, others) => {
  const request = sampleRequest('openai-speech', { input });
  const count = (provider: string) =>
    adjustExpectedUsage(request, sampleTarget(provider)).facts.expected?.usage.character;
  expect([count('azure-speech'), count('openai'), count('deepgram')]).toEqual([azure, others, others]);
});
