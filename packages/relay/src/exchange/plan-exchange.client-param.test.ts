import { expect, it } from 'vitest';
import { toClientParam } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

const target = sampleTarget('custom');
const responses = sampleRequest('openai-responses', {
  model: 'm',
  input: 'hi',
  max_output_tokens: 5,
  reasoning: { effort: 'low' },
  temperature: 3,
});

it.each([
  ['messages[0].content', 'input'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['reasoning_effort', 'reasoning.effort'],
  ['temperature', 'temperature'],
  ['generationConfig.temperature', 'temperature'],
  ['stop', undefined],
  ['logit_bias', undefined],
  [undefined, undefined],
])('names %s as the client wrote it: %s', (param, expected) => {
  expect(toClientParam(param, responses, sampleTarget('anthropic'))).toBe(expected);
});

it('keeps the vendor’s name if the request is passed through, even for a missing field', () => {
  const chat = sampleRequest('openai-chat', { model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  expect(toClientParam('user', chat, target)).toBe('user');
});
