import { contentPath } from '../gemini-paths.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { openaiSurfaces, surfacesBelow } from '../openai-surfaces.ts';
import { reasoningModelFields } from '../quirks.ts';

const { chat = [], ...others } = surfacesBelow('/v1', [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  ...openaiSurfaces.filter((surface) => surface !== 'openai-image-variations'),
  'rerank',
]);

/** https://docs.aihubmix.com */
export const aihubmix = openaiCompatible({
  id: 'aihubmix',
  label: 'AiHubMix',
  channelType: 1023,
  website: 'https://aihubmix.com',
  baseUrl: 'https://aihubmix.com',
  speaks: {
    ...others,
    chat: [
      ...chat,
      {
        format: 'gemini',
        path: (target, request) => `/gemini${contentPath(target, request)}`,
        serves: ({ model }) => model.startsWith('gemini'),
      },
    ],
  },
  testModel: 'gpt-4o-mini',
  quirks: [reasoningModelFields],
});
