import { createEndpoints, createOpenaiCompatible, openaiEndpointTypes } from '../provider-kit/openai-compatible.ts';
import { adaptReasoningModelFields } from '../provider-kit/shared-vendor-quirks.ts';
import { geminiContentPath } from '../provider-kit/upstream-paths.ts';

const { chat = [], ...others } = createEndpoints('/v1', [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  ...openaiEndpointTypes.filter((surface) => surface !== 'openai-image-variations'),
  'rerank',
]);

/** https://docs.aihubmix.com */
export const aihubmix = createOpenaiCompatible({
  id: 'aihubmix',
  label: 'AiHubMix',
  channelType: 1023,
  website: 'https://aihubmix.com',
  baseUrl: 'https://aihubmix.com',
  endpoints: {
    ...others,
    chat: [
      ...chat,
      {
        format: 'gemini',
        path: (target, request) => `/gemini${geminiContentPath(target, request)}`,
        serves: ({ model }) => model.startsWith('gemini'),
      },
    ],
  },
  testModel: 'gpt-4o-mini',
  quirks: [adaptReasoningModelFields],
});
