import type { Provider } from '../model/provider.ts';
import { openaiModelIds } from '../provider-kit/model-list.ts';
import { apiOption, chatEndpoints } from '../provider-kit/openai-endpoints.ts';
import { openaiSurfaces, realtimeAt, surfacesBelow } from '../provider-kit/openai-surfaces.ts';
import { plainModelFields, reasoningModelFields } from '../provider-kit/quirks.ts';

/**
 * Azure OpenAI with OpenAI's own paths, where the model stands in the body by the name of its deployment and no version
 * has to be said. https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 */
export const azureV1: Provider = {
  id: 'azure-v1',
  label: 'Azure OpenAI (v1)',
  channelType: 55,
  website: 'https://ai.azure.com',
  speaks: {
    ...surfacesBelow(
      '/openai/v1',
      openaiSurfaces.filter((surface) => surface !== 'openai-moderation'),
    ),
    chat: chatEndpoints('/openai/v1/chat/completions', '/openai/v1/responses'),
    realtime: realtimeAt('/openai/v1/realtime'),
  },
  credentials: [{ name: 'key', required: true }],
  options: [apiOption('both')],
  testModel: 'gpt-4o-mini',
  authorize: ({ credentials }) => ({ 'api-key': credentials['key'] ?? '' }),
  quirks: [reasoningModelFields, plainModelFields],
  listModels: { path: () => '/openai/v1/models', read: openaiModelIds },
};
