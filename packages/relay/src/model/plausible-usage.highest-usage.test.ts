import { describe, expect, it } from 'vitest';
import { sampleRequest } from '../testing/sample-requests.ts';
import type { ClientRequest } from './client-request.ts';
import type { Meter } from './dialect.ts';
import { assumePlausibleUsage, sanitizeMeter } from './plausible-usage.ts';
import { emptyUsage, type Usage } from './usage.ts';

/** Returns what is charged of a report of this usage. */
function sanitize(request: ClientRequest, reported: Partial<Usage>): Usage {
  const meter: Meter = {
    usage: { ...emptyUsage(), ...reported },
    deliveredCharacters: 0,
    deliveredWideCharacters: 0,
    deliveredSample: '',
    servedModel: undefined,
    finished: true,
  };
  return sanitizeMeter(request, meter).usage ?? emptyUsage();
}

const images = [1, 2, 3].map((nth) => ({ image_url: `https://pictures.test/${nth}.png` }));

describe.each<[string, ClientRequest, (keyof Usage & ('audioOutput' | 'imageInput' | 'input'))[]]>([
  ['a word of speech', sampleRequest('openai-speech', { input: 'Hello.', voice: 'alloy' }), ['audioOutput', 'input']],
  [
    'a word of speech with instructions',
    sampleRequest('openai-speech', { input: 'Hello.', voice: 'alloy', instructions: 'Speak slowly. '.repeat(200) }),
    ['audioOutput', 'input'],
  ],
  ['images at addresses', sampleRequest('openai-image-edits', { images }), ['imageInput']],
  [
    'an image in a field of its own',
    sampleRequest('openai-images', { image: 'https://pictures.test' }),
    ['imageInput'],
  ],
])('the highest usage of %s', (_what, request, counters) => {
  const { inputTokensEstimate: input, expected } = assumePlausibleUsage(request);
  const highest = { ...emptyUsage(), ...expected?.usage, input };

  it.each(counters)('is the highest %s that is charged', (counter) => {
    expect(sanitize(request, { [counter]: highest[counter] })[counter]).toBe(highest[counter]);
    const beyond = sanitize(request, { [counter]: highest[counter] + 1 });
    expect([beyond[counter], beyond.implausible]).toEqual([0, [counter]]);
  });
});

it('has the length of the speech in seconds and in tokens', () => {
  const request = sampleRequest('openai-speech', { input: 'Hello.', voice: 'alloy' });
  const { audioOutput, second } = assumePlausibleUsage(request).expected?.usage ?? emptyUsage();
  expect(second).toBe(Math.ceil(audioOutput / 20));
});

it('believes high fidelity of each image at an address, and not the size of a long document', () => {
  const request = sampleRequest('openai-image-edits', { images });
  expect(sanitize(request, { imageInput: 3 * 6_144 }).imageInput).toBe(3 * 6_144);
  expect(sanitize(request, { imageInput: 1_000_000 }).imageInput).toBe(0);
});

it('keeps the facts of other operations', () => {
  for (const request of [sampleRequest('openai-chat', {}), sampleRequest('rerank', {})])
    expect(assumePlausibleUsage(request)).toBe(request.facts);
});
