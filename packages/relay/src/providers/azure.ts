import { azureSignIn, entraOptions } from '../auth/entra-id.ts';
import { getAzureRefusalBilling } from '../errors/read-upstream-error.ts';
import { listOf, objectOf, textOf } from '../json/json.ts';
import type { Provider, Target } from '../model/provider.ts';
import { createApiOption, createChatEndpoints, createRealtimeEndpoints } from '../provider-kit/openai-compatible.ts';
import { createAzureDataCheck } from '../provider-kit/operator-data-references.ts';
import { adaptReasoningModelFields } from '../provider-kit/shared-vendor-quirks.ts';
import { encodeModelInPath } from '../provider-kit/upstream-paths.ts';

const API_VERSION = '2024-10-21';
/** Last version in which a resource lists its deployments to its own key. */
const LIST_API_VERSION = '2022-12-01';

function deploymentPath(action: string): (target: Target) => string {
  return ({ model, options }) => {
    const version = encodeURIComponent(options['apiVersion'] || API_VERSION);
    return `/openai/deployments/${encodeModelInPath(model)}/${action}?api-version=${version}`;
  };
}

/**
 * Azure OpenAI with one URL per deployment; the model's name is the deployment's. Responses exist in the newer API
 * only, which has one URL for all deployments and no version.
 * https://learn.microsoft.com/azure/ai-services/openai/reference
 */
export const azure: Provider = {
  id: 'azure',
  label: 'Azure OpenAI',
  channelType: 3,
  website: 'https://ai.azure.com',
  endpoints: {
    chat: createChatEndpoints(deploymentPath('chat/completions'), '/openai/v1/responses'),
    completions: [{ format: 'openai-completions', path: deploymentPath('completions') }],
    embeddings: [{ format: 'openai-embeddings', path: deploymentPath('embeddings') }],
    images: [
      { format: 'openai-images', path: deploymentPath('images/generations') },
      { format: 'openai-image-edits', path: deploymentPath('images/edits') },
    ],
    speech: [{ format: 'openai-speech', path: deploymentPath('audio/speech') }],
    transcription: [
      { format: 'openai-transcription', path: deploymentPath('audio/transcriptions') },
      { format: 'openai-translation', path: deploymentPath('audio/translations') },
    ],
    realtime: createRealtimeEndpoints('/openai/v1/realtime'),
  },
  credentials: [{ name: 'key', required: true }],
  options: [
    { name: 'apiVersion', required: false, default: API_VERSION, placeholder: API_VERSION },
    createApiOption('both'),
    ...entraOptions,
  ],
  testModel: 'gpt-4o-mini',
  ...azureSignIn,
  quirks: [adaptReasoningModelFields],
  getRefusalBilling: getAzureRefusalBilling,
  findOperatorData: createAzureDataCheck(),
  listModels: {
    path: () => `/openai/deployments?api-version=${LIST_API_VERSION}`,
    read: (body) =>
      listOf(objectOf(body)['data'])
        .map(objectOf)
        .filter((deployment) => (deployment['status'] ?? 'succeeded') === 'succeeded')
        .flatMap((deployment) => textOf(deployment['id']) ?? []),
  },
};
