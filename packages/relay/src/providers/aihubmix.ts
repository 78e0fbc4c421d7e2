import { contentPath } from '../provider-kit/gemini-paths.ts';
import { openaiCompatible } from '../provider-kit/openai-compatible.ts';
import { openaiSurfaces, surfacesBelow } from '../provider-kit/openai-surfaces.ts';
import { reasoningModelFields } from '../provider-kit/quirks.ts';

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
