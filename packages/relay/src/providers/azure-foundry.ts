import { getAzureRefusalBilling } from '../errors/read-upstream-error.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { createOperatorDataCheck } from '../provider-kit/operator-data-references.ts';

const API_VERSION = '2024-05-01-preview';

function modelsPath(action: string): string {
  return `/models/${action}?api-version=${API_VERSION}`;
}

/**
 * Models of other vendors in a Foundry resource, by deployment name; Claude in its own dialect.
 * https://learn.microsoft.com/rest/api/aifoundry/modelinference,
 * https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry
 */
export const azureFoundry = createOpenaiCompatible({
  id: 'azure-foundry',
  label: 'Azure AI Foundry',
  channelType: 1009,
  website: 'https://ai.azure.com',
  endpoints: {
    chat: [
      { format: 'openai-chat', path: modelsPath('chat/completions'), serves: ({ model }) => !model.includes('claude') },
      { format: 'anthropic-messages', path: '/anthropic/v1/messages', serves: ({ model }) => model.includes('claude') },
    ],
    embeddings: [{ format: 'openai-embeddings', path: modelsPath('embeddings') }],
  },
  endpointTypes: [],
  headers: { 'anthropic-version': '2023-06-01' },
  // Each of the two dialects has its own header name.
  authorize: ({ credentials }) => ({ 'api-key': credentials['key'] ?? '', 'x-api-key': credentials['key'] ?? '' }),
  getRefusalBilling: getAzureRefusalBilling,
  findOperatorData: createOperatorDataCheck(),
  listModels: null,
});
