import { textOf } from '../json.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import type { Quirk } from '../provider.ts';

/** Pictures have a width and a height, and another word for what OpenAI calls `b64_json`. */
const ownPictureFields: Quirk = (body, _target, dropped) => {
  const { size, ...rest } = body;
  const named = rest['response_format'] === 'b64_json' ? { ...rest, response_format: 'base64' } : rest;
  if (size === undefined) return named;
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(textOf(size) ?? '') ?? [];
  if (width !== undefined) return { ...named, width: Number(width), height: Number(height) };
  if (size !== null && size !== 'auto') dropped.push('size');
  return named;
};

/** https://docs.together.ai/reference */
export const together = openaiCompatible({
  id: 'together',
  label: 'Together AI',
  channelType: 1002,
  website: 'https://api.together.ai',
  baseUrl: 'https://api.together.ai',
  surfaces: [
    'openai-chat',
    'openai-completions',
    'openai-embeddings',
    'openai-images',
    'openai-speech',
    'openai-transcription',
    'openai-translation',
    'rerank',
  ],
  testModel: 'openai/gpt-oss-20b',
  quirks: [ownPictureFields],
  // More tokens than the model takes. https://docs.together.ai/docs/error-codes
  readError: (status) => (status === 403 ? 'rejected' : undefined),
});
