import { expect, it } from 'vitest';
import { adjustToTarget } from '../../exchange/expected-usage-at-target.ts';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

it.each<[input: string, azure: number, others: number]>([
  ['hello', 5, 5],
  ['你好', 4, 2],
  ['a你好🙂', 6, 4],
  ['日本のテレビ', 8, 6],
  ['漢江 한강', 7, 5],
  ['𠀀々', 4, 2],
])('counts each Chinese character of %j as two for Azure Speech only', (input, azure, others) => {
  const request = sampleRequest('openai-speech', { input });
  const count = (provider: string) => adjustToTarget(request, sampleTarget(provider)).facts.expected?.usage.character;
  expect([count('azure-speech'), count('openai'), count('deepgram')]).toEqual([azure, others, others]);
});

it.each<[input: string, more: object, characters: number]>([
  ['a & b < "c"', {}, 11],
  ['<voice name="x">a</voice>', {}, 25],
  ['hello', { speed: 1.5 }, 5 + '<prosody rate="1.5"></prosody>'.length],
  ['hello', { voice: 'zh-CN-YunxiNeural|Boy' }, 5 + '<mstts:express-as role="Boy"></mstts:express-as>'.length],
])('counts the text of %j with %j and the markup that Azure Speech bills', (input, more, characters) => {
  const request = sampleRequest('openai-speech', { input, ...more });
  const { facts } = adjustToTarget(request, sampleTarget('azure-speech'));
  expect(facts.expected?.usage.character).toBe(characters);
});

it.each(['en-US-Ava:DragonHDLatestNeural', 'en-us-ava:dragonhdlatestneural', 'en-US-AlloyMultilingualNeuralHD|Boy'])(
  'refuses the HD voice %s that a client names for another model',
  (voice) => {
    const request = sampleRequest('openai-speech', { voice });
    const speak = (model: string) => planExchange(request, sampleTarget('azure-speech', { model })).body.toString();
    for (const model of ['tts-1', 'tts-2-hd', 'tts-1-hd-fast', 'hd'])
      expect(() => speak(model)).toThrow('does not cover the HD voice');
    expect(speak('tts-1-hd')).toContain(voice.split('|')[0]);
    const mapped = planExchange(
      sampleRequest('openai-speech', { voice: 'alloy' }),
      sampleTarget('azure-speech', { model: 'tts-1', options: { voices: `alloy=${voice}` } }),
    );
    expect(mapped.body.toString()).toContain(voice.split('|')[0]);
  },
);
