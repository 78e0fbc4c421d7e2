import { expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { sampleRequest } from '../testing/sample-requests.ts';

/** Fields that decide the price of a request. An upstream may read a value that the gateway counts as the default. */
it.each([
  ['openai-chat', 'model'],
  ['openai-chat', 'n'],
  ['openai-chat', 'max_tokens'],
  ['openai-images', 'model'],
  ['openai-images', 'n'],
  ['openai-images', 'size'],
  ['openai-images', 'quality'],
  ['openai-images', 'partial_images'],
  ['openai-image-edits', 'size'],
  ['openai-image-edits', 'quality'],
  ['openai-image-variations', 'size'],
  ['openai-speech', 'input'],
  ['openai-speech', 'response_format'],
  ['openai-videos', 'seconds'],
  ['openai-videos', 'size'],
  ['video-generations', 'n'],
  ['video-generations', 'duration'],
  ['video-generations', 'seconds'],
  ['video-generations', 'size'],
  ['video-generations', 'width'],
  ['kling-videos', 'model_name'],
  ['kling-videos', 'mode'],
  ['kling-videos', 'duration'],
  ['kling-videos', 'sound'],
] as const)('refuses a list and an object in a request of %s for %s', (format, field) => {
  for (const value of [[], ['2'], [2], {}, { value: 2 }, true])
    expect(() => sampleRequest(format, { [field]: value })).toThrow(InvalidRequestError);
});
