import { expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

it.each<[model: string, voice: string, served: string]>([
  ['aura-2-thalia-en', 'aura-2-apollo-en', 'aura-2-apollo-en'],
  ['aura-asteria-en', 'aura-zeus-en', 'aura-zeus-en'],
  ['aura-asteria-en', 'aura-2-thalia-en', 'aura-asteria-en'],
  ['aura-2-thalia-en', 'aura-zeus-en', 'aura-2-thalia-en'],
  ['aura-2-thalia-en', 'aura-3-x-en', 'aura-2-thalia-en'],
  ['aura-asteria-en', 'aura-2', 'aura-asteria-en'],
  ['aura-2-thalia-en', 'alloy', 'aura-2-thalia-en'],
  ['tts-1', 'aura-2-thalia-en', 'aura-2-thalia-en'],
])('speaks for the model %s and the voice %s with %s', (model, voice, served) => {
  const { url, dropped } = planExchange(sampleRequest('openai-speech', { voice }), sampleTarget('deepgram', { model }));
  expect(new URL(url).searchParams.get('model')).toBe(served);
  expect(dropped).toEqual(served === voice ? [] : ['voice']);
});
