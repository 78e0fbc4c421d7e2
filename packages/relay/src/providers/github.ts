import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { readOpenaiModelIds } from '../provider-kit/passthrough-and-account-requests.ts';
import { adaptReasoningModelFields } from '../provider-kit/shared-vendor-quirks.ts';

/** GitHub Models. https://docs.github.com/rest/models/inference */
export const github = createOpenaiCompatible({
  id: 'github',
  label: 'GitHub Models',
  channelType: 49,
  website: 'https://github.com/marketplace/models',
  baseUrl: 'https://models.github.ai',
  root: '/inference',
  endpointTypes: ['openai-chat', 'openai-embeddings'],
  testModel: 'openai/gpt-4o-mini',
  headers: { 'x-github-api-version': '2022-11-28' },
  quirks: [adaptReasoningModelFields],
  listModels: { path: () => '/catalog/models', read: readOpenaiModelIds },
});
