import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://console.upstage.ai/api/chat */
export const upstage = createOpenaiCompatible({
  id: 'upstage',
  label: 'Upstage',
  channelType: 1024,
  website: 'https://console.upstage.ai',
  baseUrl: 'https://api.upstage.ai',
  endpointTypes: ['openai-chat', 'openai-embeddings'],
  testModel: 'solar-mini',
  listModels: null,
});
