import { getAzureRefusalBilling } from '../errors/read-upstream-error.ts';
import type { Provider } from '../model/provider.ts';
import {
  createApiOption,
  createChatEndpoints,
  createEndpoints,
  createRealtimeEndpoints,
  openaiEndpointTypes,
} from '../provider-kit/openai-compatible.ts';
import { createAzureDataCheck } from '../provider-kit/operator-data-references.ts';
import { readOpenaiModelIds } from '../provider-kit/passthrough-and-account-requests.ts';
import { adaptReasoningModelFields, dropReasoningFields } from '../provider-kit/shared-vendor-quirks.ts';

/**
 * Azure OpenAI with OpenAI's own paths: the body names the deployment as the model, and no version is necessary.
 * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 */
export const azureV1: Provider = {
  id: 'azure-v1',
  label: 'Azure OpenAI (v1)',
  channelType: 55,
  website: 'https://ai.azure.com',
  endpoints: {
    ...createEndpoints(
      '/openai/v1',
      openaiEndpointTypes.filter((surface) => surface !== 'openai-moderation'),
    ),
    chat: createChatEndpoints('/openai/v1/chat/completions', '/openai/v1/responses'),
    realtime: createRealtimeEndpoints('/openai/v1/realtime'),
  },
  credentials: [{ name: 'key', required: true }],
  options: [createApiOption('both')],
  testModel: 'gpt-4o-mini',
  authorize: ({ credentials }) => ({ 'api-key': credentials['key'] ?? '' }),
  quirks: [adaptReasoningModelFields, dropReasoningFields],
  getRefusalBilling: getAzureRefusalBilling,
  findOperatorData: createAzureDataCheck(),
  listModels: { path: () => '/openai/v1/models', read: readOpenaiModelIds },
};
