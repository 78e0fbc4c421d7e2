import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://docs.infini-ai.com/gen-studio/api/maas.html */
export const infinigence = createOpenaiCompatible({
  id: 'infinigence',
  label: 'Infinigence AI',
  channelType: 1108,
  website: 'https://cloud.infini-ai.com',
  baseUrl: 'https://cloud.infini-ai.com',
  root: '/maas/v1',
  endpointTypes: ['openai-chat', 'openai-embeddings', 'rerank'],
  testModel: 'qwen3-8b',
});
