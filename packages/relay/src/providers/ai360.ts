import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://ai.360.com/platform/docs/overview */
export const ai360 = createOpenaiCompatible({
  id: 'ai360',
  label: '360 AI',
  channelType: 19,
  website: 'https://ai.360.com',
  baseUrl: 'https://api.360.cn',
  endpointTypes: ['openai-chat', 'openai-embeddings'],
  testModel: '360gpt-turbo',
});
