import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://ai.gitee.com/docs/openapi/v1 */
export const giteeai = createOpenaiCompatible({
  id: 'giteeai',
  label: 'Gitee AI',
  channelType: 1109,
  website: 'https://ai.gitee.com',
  baseUrl: 'https://ai.gitee.com',
  endpointTypes: ['openai-chat', 'openai-embeddings', 'openai-images', 'rerank'],
  testModel: 'Qwen3-8B',
});
