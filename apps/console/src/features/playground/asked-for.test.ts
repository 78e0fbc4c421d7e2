import { expect, it } from 'vitest';
import { madeFor } from './asked-for.ts';

it.each([
  ['gpt-4o', { output: ['text'] }, 'text'],
  ['gpt-image-2', { output: ['image'] }, 'pictures'],
  ['tts-1', { output: ['audio'] }, 'speech'],
  // It answers chat with pictures in it.
  ['gemini-2.5-flash-image', { output: ['text', 'image'] }, 'text'],
] as const)('%s is made for what its facts say', (model, { output }, wanted) => {
  expect(madeFor(model, { output: [...output] })).toBe(wanted);
});

it.each([
  ['dall-e-9', 'pictures'],
  ['acme/flux-pro', 'pictures'],
  ['some-tts-large', 'speech'],
  ['attsome', 'text'],
])('%s, of which nothing is known, by its name', (model, wanted) => {
  expect(madeFor(model, undefined)).toBe(wanted);
});
