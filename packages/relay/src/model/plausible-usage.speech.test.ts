import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { sanitizeMeter } from './plausible-usage.ts';
import type { Usage } from './usage.ts';

/** https://platform.openai.com/docs/pricing */
const TOKENS_PER_SECOND = 20;

function believedUsage(input: string, output_tokens: number, instructions?: string): Usage | undefined {
  const request = sampleRequest('openai-speech', { input, voice: 'alloy', instructions, stream_format: 'sse' });
  const reader = planExchange(request, sampleTarget('openai', { model: 'gpt-4o-mini-tts' })).readResponse();
  const events = [
    { type: 'speech.audio.delta', audio: '//NExAAA' },
    { type: 'speech.audio.done', usage: { input_tokens: 9, output_tokens, total_tokens: 9 + output_tokens } },
  ];
  reader.push(Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')));
  reader.end();
  return sanitizeMeter(request, reader.meter).usage;
}

describe.each(['A', '7', 'Hi', '你好', 'Yes!', 'Hello'])('the reported sound of %j', (input) => {
  it.each([0.5, 1, 3, 10])('is charged for %d seconds', (seconds) => {
    const usage = believedUsage(input, seconds * TOKENS_PER_SECOND);
    expect(usage?.audioOutput).toBe(seconds * TOKENS_PER_SECOND);
    expect(usage?.implausible).toBeUndefined();
  });

  it.each([300, 3_600, 50_000])('is not believed for %d seconds', (seconds) => {
    expect(believedUsage(input, seconds * TOKENS_PER_SECOND)).toMatchObject({
      audioOutput: 0,
      implausible: ['audioOutput'],
    });
  });
});

it('believes longer pauses the longer the instructions are', () => {
  const seconds = 100 * TOKENS_PER_SECOND;
  expect(believedUsage('A', seconds)?.audioOutput).toBe(0);
  const instructions = 'Pause for ten seconds, breathe, and speak as slowly as you can. '.repeat(10);
  expect(believedUsage('A', seconds, instructions)?.audioOutput).toBe(seconds);
});
