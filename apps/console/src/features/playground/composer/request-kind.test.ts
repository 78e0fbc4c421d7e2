import { expect, it } from 'vitest';
import { inferRequestKind } from './request-kind.ts';

it.each([
  ['gpt-4o', { output: ['text'] }, 'text'],
  ['gpt-image-2', { output: ['image'] }, 'pictures'],
  ['tts-1', { output: ['audio'] }, 'speech'],
  ['whisper-1', { input: ['audio'], output: ['text'] }, 'transcript'],
  ['gpt-audio', { input: ['text', 'audio'], output: ['text', 'audio'] }, 'text'],
  // This model responds to chat requests, with images in the response.
  ['gemini-2.5-flash-image', { output: ['text', 'image'] }, 'text'],
] as const)('infers the kind of %s from its metadata', (model, { output, ...rest }, wanted) => {
  const input = 'input' in rest ? { input: [...rest.input] } : {};
  expect(inferRequestKind(model, { output: [...output], ...input })).toBe(wanted);
});

it.each([
  ['dall-e-9', 'pictures'],
  ['acme/flux-pro', 'pictures'],
  ['some-tts-large', 'speech'],
  ['acme/fast-whisper', 'transcript'],
  ['attsome', 'text'],
])('infers the kind of %s without metadata from its name', (model, wanted) => {
  expect(inferRequestKind(model, undefined)).toBe(wanted);
});
