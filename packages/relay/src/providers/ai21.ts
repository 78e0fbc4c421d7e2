import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/** https://docs.ai21.com/reference/jamba-1-6-api-ref */
export const ai21 = createOpenaiCompatible({
  id: 'ai21',
  label: 'AI21',
  channelType: 1025,
  website: 'https://studio.ai21.com',
  baseUrl: 'https://api.ai21.com',
  root: '/studio/v1',
  testModel: 'jamba-mini',
  listModels: null,
});
